/** What the user chose to see. */
import { Signal } from './signal';
import type { MapName } from './palette';

export interface ColourChoice {
  /** "plain", "material", "group", "speed", "spin", "contacts", "displacement", "height" or a column. */
  by: string;
  map: MapName;
  log: boolean;
  /** Bounds set by the user; null: automatic. */
  low: number | null;
  high: number | null;
}

export type ContactColour = 'status' | 'usage' | 'impulse';

export interface ContactChoice {
  points: boolean;
  normals: boolean;
  arrows: boolean;
  chains: boolean;
  colour: ContactColour;
  /** Factor on the length of arrows and the width of chains. */
  scale: number;
  aboveMean: boolean;
}

export class Options {
  readonly colour = new Signal<ColourChoice>({ by: 'material', map: 'viridis', log: false, low: null, high: null });
  readonly contacts = new Signal<ContactChoice>({
    points: false,
    normals: false,
    arrows: false,
    chains: false,
    colour: 'status',
    scale: 1,
    aboveMean: false,
  });
  /** False: only recorded states are shown, never anything between them. */
  readonly interpolate = new Signal(true);
  /** The camera keeps the selected body where it is on the screen. */
  readonly follow = new Signal(false);
  /** Bodies are faint, so that contacts stand out. */
  readonly faint = new Signal(false);
  /** Solids that do not move are see-through (walls of a container). */
  readonly glass = new Signal(false);

  setColour(change: Partial<ColourChoice>): void {
    this.colour.value = { ...this.colour.value, ...change };
  }

  setContacts(change: Partial<ContactChoice>): void {
    this.contacts.value = { ...this.contacts.value, ...change };
  }

  get contactsOn(): boolean {
    const c = this.contacts.value;
    return c.points || c.normals || c.arrows || c.chains;
  }
}

/** What the record of a run says, as the server or the exported file gives it. */

export type Column = Float32Array | Float64Array | Uint32Array | Int32Array | Uint8Array;

export interface ColumnHeader {
  name: string;
  type: 'f32' | 'f64' | 'u32' | 'i32' | 'u8';
  length: number;
  offset: number;
  unit?: string;
}

/** A table: named columns of numbers and a header of further facts. */
export interface Pack {
  // The header's further facts differ from table to table.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  header: any;
  column(name: string): Column | undefined;
}

export type RunState = 'running' | 'ended' | 'interrupted' | 'failed';

export interface Worst {
  step: number;
  t: number;
}

export interface Certificate {
  steps: number;
  missed: number;
  worst_residual: number | null;
  worst_penetration: number | null;
  worst_momentum: number | null;
  worst_energy: number | null;
  tolerance: number | null;
  worst?: Record<string, Worst>;
}

export interface Finding {
  name: string;
  value: number | string | boolean | null;
  expected: number | string | boolean | null;
  tolerance: number | string | null;
  ok: boolean | null;
  /** False where the expectation holds at other values of parameters alone. */
  applicable?: boolean;
  source?: string | null;
}

export interface Box {
  min: number[];
  max: number[];
}

export interface About {
  format: number;
  name: string;
  title: string;
  about: string;
  source?: string | null;
  kind: 'bodies' | 'mechanism' | 'sweep';
  dimension: 2 | 3;
  units: Record<string, string>;
  state: RunState;
  time: { from: number | null; to: number | null; step: number | null; until: number | null };
  frames: number;
  contact_frames: number;
  bodies: number;
  origin: number[];
  box: Box | null;
  gravity: number[] | null;
  cell: boolean;
  /** Which vectors of the cell have images; empty without a cell. */
  periodic?: boolean[];
  materials: string[];
  groups: string[];
  parameters: Record<string, unknown>;
  version: string;
  certificate: Certificate | null;
  findings: Finding[];
  columns: { name: string; unit?: string; meaning?: string }[];
  thinned?: Record<string, unknown> | null;
  /** What is absent or damaged in the records, in sentences. */
  notes?: string[];
  /** Where the records are; not in an exported file. */
  directory?: string;
  /** Why a run ended before its time. */
  reason?: string | null;
  revision: number;
}

export type Selected =
  | { kind: 'body'; id: number }
  | { kind: 'contact'; a: number; b: number; feature: number };

/** Where the page has its data from. Every answer may fail with a `SourceError`. */
export interface Source {
  /** True when the data are in the file itself: they cannot change. */
  readonly embedded: boolean;
  about(): Promise<About>;
  frames(): Promise<Pack>;
  shapes(): Promise<Pack>;
  bodies(i: number): Promise<Pack>;
  contacts(i: number): Promise<Pack>;
  steps(window?: [number, number]): Promise<Pack>;
  history(s: Selected): Promise<Pack>;
  body(id: number): Promise<Record<string, unknown>>;
  drawing(): Promise<Pack | null>;
}

/** A failure told as a sentence; `gone` when nobody answered at all. */
export class SourceError extends Error {
  constructor(
    message: string,
    readonly gone = false,
    readonly status = 0,
  ) {
    super(message);
    this.name = 'SourceError';
  }
}

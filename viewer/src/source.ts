/**
 * Where the data come from: a server on this machine (`HttpSource`), or the page's
 * own document (`EmbeddedSource`, an exported file).
 */
import { bodyHistory, contactHistory } from './trace';
import { decode, table } from './pack';
import { SourceError, type About, type Pack, type Selected, type Source } from './types';

/** The embedded source if the document holds data, else the server. */
export function openSource(): Source {
  const index = document.getElementById('percuss-index');
  return index ? new EmbeddedSource(document, index.textContent ?? '') : new HttpSource('api/');
}

/** Asks the loopback server that also gave this page. */
export class HttpSource implements Source {
  readonly embedded = false;

  constructor(private base: string) {}

  private async ask(path: string): Promise<Response> {
    let answer: Response;
    try {
      answer = await fetch(this.base + path, { cache: 'no-store' });
    } catch {
      throw new SourceError(
        'The server does not answer. Start "percuss view" again and open the address it prints.',
        true,
      );
    }
    if (answer.ok) return answer;
    let why = `${answer.status} ${answer.statusText}`;
    try {
      const said = (await answer.json()) as { error?: unknown };
      if (typeof said.error === 'string') why = said.error;
    } catch {
      // The status alone has to do.
    }
    throw new SourceError(why, false, answer.status);
  }

  private async pack(path: string): Promise<Pack> {
    const answer = await this.ask(path);
    return decode(new Uint8Array(await answer.arrayBuffer()), path);
  }

  async about(): Promise<About> {
    return (await (await this.ask('about')).json()) as About;
  }
  frames(): Promise<Pack> {
    return this.pack('frames');
  }
  shapes(): Promise<Pack> {
    return this.pack('shapes');
  }
  bodies(i: number): Promise<Pack> {
    return this.pack(`bodies/${i}`);
  }
  contacts(i: number): Promise<Pack> {
    return this.pack(`contacts/${i}`);
  }
  steps(window?: [number, number]): Promise<Pack> {
    return this.pack(window ? `steps?from=${window[0]}&to=${window[1]}` : 'steps');
  }
  history(s: Selected): Promise<Pack> {
    return this.pack(
      s.kind === 'body' ? `history?body=${s.id}` : `history?a=${s.a}&b=${s.b}&feature=${s.feature}`,
    );
  }
  async body(id: number): Promise<Record<string, unknown>> {
    return (await (await this.ask(`body/${id}`)).json()) as Record<string, unknown>;
  }
  async drawing(): Promise<Pack | null> {
    try {
      return await this.pack('drawing');
    } catch (e) {
      if (e instanceof SourceError && e.status === 404) return null;
      throw e;
    }
  }
}

interface Index {
  format: number;
  about: About;
  compression?: 'deflate' | 'deflate-raw' | 'gzip';
  packs: Record<string, { bytes: number }>;
}

/** Reads packs out of script elements: base64 of deflated bytes. */
export class EmbeddedSource implements Source {
  readonly embedded = true;
  private index: Index;

  constructor(
    private doc: Document,
    text: string,
  ) {
    try {
      this.index = JSON.parse(text) as Index;
    } catch {
      throw new SourceError('The data in this file are damaged. Export the run again.');
    }
  }

  async about(): Promise<About> {
    return this.index.about;
  }

  private has(name: string): boolean {
    return Object.hasOwn(this.index.packs, name);
  }

  private async pack(name: string): Promise<Pack> {
    const holder = this.has(name) ? this.doc.getElementById(`pack:${name}`) : null;
    if (!holder) throw new SourceError(`This file does not hold "${name}".`, false, 404);
    const packed = fromBase64(holder.textContent ?? '');
    const how = this.index.compression ?? 'deflate-raw';
    return decode(await inflate(packed, how, name), name);
  }

  frames(): Promise<Pack> {
    return this.pack('frames');
  }
  shapes(): Promise<Pack> {
    return this.pack('shapes');
  }
  bodies(i: number): Promise<Pack> {
    return this.pack(`bodies/${i}`);
  }
  contacts(i: number): Promise<Pack> {
    return this.pack(`contacts/${i}`);
  }

  async steps(window?: [number, number]): Promise<Pack> {
    const all = await this.pack('steps');
    return window ? within(all, window) : all;
  }

  async history(s: Selected): Promise<Pack> {
    const frames = await this.frames();
    return s.kind === 'body'
      ? bodyHistory(this, frames, this.index.about.origin, s.id)
      : contactHistory(this, frames, s);
  }

  async body(id: number): Promise<Record<string, unknown>> {
    if (this.has(`body/${id}`)) return (await this.pack(`body/${id}`)).header;
    const shapes = await this.shapes();
    const about = this.index.about;
    const out: Record<string, unknown> = {};
    const names = shapes.header.names as string[] | undefined;
    if (names && typeof names[id] === 'string') out.name = names[id];
    const material = shapes.column('material')?.[id];
    if (material !== undefined && about.materials[material]) out.material = about.materials[material];
    const group = shapes.column('group')?.[id];
    if (group !== undefined && about.groups[group]) out.groups = [about.groups[group]];
    const mass = shapes.column('mass')?.[id];
    if (mass !== undefined) out.mass = mass;
    return out;
  }

  async drawing(): Promise<Pack | null> {
    return this.has('drawing') ? this.pack('drawing') : null;
  }
}

/** The rows of a table of steps with from ≤ t ≤ to. */
function within(all: Pack, [from, to]: [number, number]): Pack {
  const t = all.column('t');
  if (!t) return all;
  let a = 0;
  while (a < t.length && t[a] < from) a++;
  let b = a;
  while (b < t.length && t[b] <= to) b++;
  const columns: Record<string, ReturnType<Pack['column']> & object> = {};
  for (const c of all.header.columns as { name: string }[]) {
    const whole = all.column(c.name);
    if (whole) columns[c.name] = whole.subarray(a, b);
  }
  const { columns: _, ...header } = all.header;
  return table(header, columns);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text.trim());
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

async function inflate(
  bytes: Uint8Array<ArrayBuffer>,
  how: CompressionFormat,
  name: string,
): Promise<Uint8Array> {
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(how));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new SourceError(`The table "${name}" in this file is damaged. Export the run again.`);
  }
}

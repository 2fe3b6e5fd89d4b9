/**
 * Packs: the binary form of a table.
 *
 * u32 LE length L | L bytes of UTF-8 JSON | zeros up to a multiple of 8 | columns,
 * little endian, each at a multiple of 8 from the start of the data. Columns are
 * views into the buffer, so that decoding copies nothing.
 */
import { SourceError, type Column, type ColumnHeader, type Pack } from './types';

const SIZES = { f32: 4, f64: 8, u32: 4, i32: 4, u8: 1 } as const;

function view(type: ColumnHeader['type'], buffer: ArrayBuffer, at: number, n: number): Column {
  switch (type) {
    case 'f32':
      return new Float32Array(buffer, at, n);
    case 'f64':
      return new Float64Array(buffer, at, n);
    case 'u32':
      return new Uint32Array(buffer, at, n);
    case 'i32':
      return new Int32Array(buffer, at, n);
    case 'u8':
      return new Uint8Array(buffer, at, n);
  }
}

function damaged(name: string, why: string): SourceError {
  return new SourceError(`The table "${name}" is damaged: ${why}. Make it again from the run.`);
}

class Table implements Pack {
  private columns = new Map<string, Column>();

  constructor(
    public header: Record<string, unknown>,
    columns: [string, Column][],
  ) {
    for (const [k, c] of columns) this.columns.set(k, c);
  }

  column(name: string): Column | undefined {
    return this.columns.get(name);
  }
}

/** Reads a pack; `name` is only for the message of a damaged one. */
export function decode(bytes: Uint8Array, name = 'table'): Pack {
  // Views of f64 need an aligned start: copy when the bytes begin elsewhere.
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const buffer = aligned.buffer as ArrayBuffer;
  const base = aligned.byteOffset;
  if (aligned.length < 4) throw damaged(name, 'it has no header');
  const length = new DataView(buffer, base, 4).getUint32(0, true);
  if (4 + length > aligned.length) throw damaged(name, 'its header is cut off');
  let header: Record<string, unknown>;
  try {
    header = JSON.parse(new TextDecoder().decode(aligned.subarray(4, 4 + length)));
  } catch {
    throw damaged(name, 'its header is not JSON');
  }
  const data = Math.ceil((4 + length) / 8) * 8;
  const list = Array.isArray(header.columns) ? (header.columns as ColumnHeader[]) : [];
  const columns: [string, Column][] = [];
  for (const c of list) {
    const size = SIZES[c.type];
    if (size === undefined) throw damaged(name, `column "${c.name}" has the unknown type "${c.type}"`);
    const at = data + c.offset;
    const fits = c.length >= 0 && c.offset >= 0 && at + c.length * size <= aligned.length;
    if (!fits || c.offset % 8 !== 0) throw damaged(name, `column "${c.name}" does not fit`);
    columns.push([c.name, view(c.type, buffer, base + at, c.length)]);
  }
  return new Table(header, columns);
}

/** Puts columns together as a pack in memory, for tables the page computes itself. */
export function table(header: Record<string, unknown>, columns: Record<string, Column>): Pack {
  const list = Object.entries(columns).map(([name, c]) => ({ name, length: c.length }));
  return new Table({ columns: list, ...header }, Object.entries(columns));
}

/** The bytes a pack keeps alive, for caches with a bound. */
export function weight(pack: Pack): number {
  const list = (pack.header.columns ?? []) as ColumnHeader[];
  let sum = 256;
  for (const c of list) sum += pack.column(c.name)?.byteLength ?? 0;
  return sum;
}

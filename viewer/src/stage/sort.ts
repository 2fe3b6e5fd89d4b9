/**
 * Orders many things by a number, smallest first, in linear time: the numbers are put
 * into 65536 equal classes. Within a class the order is that of before, so the same
 * numbers give the same order.
 */
const CLASSES = 65536;

export class Sorter {
  private classes: Uint16Array;
  private keys: Float32Array;
  private starts = new Uint32Array(CLASSES + 1);
  private list: Uint32Array;

  constructor(private n: number) {
    this.classes = new Uint16Array(n);
    this.keys = new Float32Array(n);
    this.list = new Uint32Array(n);
  }

  order(key: (i: number) => number): Uint32Array {
    const { n, keys, classes, starts, list } = this;
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < n; i++) {
      const k = key(i);
      keys[i] = k;
      if (k < low) low = k;
      if (k > high) high = k;
    }
    // What is no number goes to the first class.
    const scale = high > low ? (CLASSES - 1) / (high - low) : 0;
    starts.fill(0);
    for (let i = 0; i < n; i++) {
      const c = Math.floor((keys[i] - low) * scale) || 0;
      classes[i] = c;
      starts[classes[i] + 1]++;
    }
    for (let c = 0; c < CLASSES; c++) starts[c + 1] += starts[c];
    for (let i = 0; i < n; i++) list[starts[classes[i]]++] = i;
    return list;
  }
}

/** A picture file of what is on the stage, with title, time and colour bar. */

export interface Caption {
  title: string;
  time: string;
  background: string;
  ink: string;
  /** Drawn by the legend itself, at its own size, below the picture. */
  bar: { draw(g: CanvasRenderingContext2D, x: number, y: number): void; width: number; height: number } | null;
}

export function compose(picture: HTMLCanvasElement, ratio: number, caption: Caption): HTMLCanvasElement {
  const out = document.createElement('canvas');
  const foot = (caption.bar ? caption.bar.height + 44 : 44) * ratio;
  out.width = picture.width;
  out.height = picture.height + foot;
  const g = out.getContext('2d');
  if (!g) return out;
  g.fillStyle = caption.background;
  g.fillRect(0, 0, out.width, out.height);
  g.drawImage(picture, 0, 0);
  g.setTransform(ratio, 0, 0, ratio, 0, picture.height);
  const width = out.width / ratio;
  g.fillStyle = caption.ink;
  g.font = '600 14px system-ui, sans-serif';
  g.textBaseline = 'middle';
  g.textAlign = 'right';
  const clock = g.measureText(caption.time).width;
  g.fillText(caption.time, width - 14, 22);
  g.textAlign = 'left';
  g.fillText(caption.title, 14, 22, Math.max(width - clock - 42, 40));
  caption.bar?.draw(g, 14, 42);
  return out;
}

export function save(canvas: HTMLCanvasElement, name: string): Promise<void> {
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => {
      if (!blob) return fail(new Error('The picture could not be made.'));
      const url = URL.createObjectURL(blob);
      const a = document.createElement('a');
      a.href = url;
      a.download = name;
      a.click();
      window.setTimeout(() => URL.revokeObjectURL(url), 10000);
      done();
    }, 'image/png');
  });
}

/** A name that every file system takes. */
export function fileName(run: string, t: number): string {
  const plain = run.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'percuss';
  return `${plain}-t${t.toPrecision(6).replace(/\.?0+$/, '')}.png`;
}

/**
 * Colours of plots. Lines take the eight of Okabe and Ito, which people with any of the
 * common colour blindnesses can tell apart, moved a little so that each stands out from
 * the background of its theme.
 */
import type { Theme } from '../app';

const LIGHT = ['#0072b2', '#d55e00', '#008561', '#b0508a', '#3a3f47', '#3f9bd4', '#b97d00', '#7d7300'];
const DARK = ['#5fb4ec', '#ff8b45', '#2fc498', '#e79fc6', '#d5d9e0', '#8f9bff', '#e8ac2e', '#e6dc55'];

/** Colour `i` of the eight, over and over. */
export function lineColour(theme: Theme, i: number): string {
  const list = theme === 'dark' ? DARK : LIGHT;
  return list[((i % list.length) + list.length) % list.length];
}

export interface Ink {
  /** Behind the plot. */
  paper: string;
  text: string;
  faint: string;
  grid: string;
  frame: string;
  /** The cursor at the current time. */
  cursor: string;
  /** What the mouse selects. */
  choice: string;
  /** Fill of obstacles. */
  solid: string;
}

const INKS: Record<Theme, Ink> = {
  light: {
    paper: '#ffffff',
    text: '#22262c',
    faint: '#5d6570',
    grid: '#e6e8ec',
    frame: '#b4bac3',
    cursor: '#c2185b',
    choice: 'rgba(0, 114, 178, 0.14)',
    solid: '#d3d7dd',
  },
  dark: {
    paper: '#15181d',
    text: '#e4e7eb',
    faint: '#9aa3af',
    grid: '#2a2f37',
    frame: '#4d5560',
    cursor: '#ff6d9d',
    choice: 'rgba(95, 180, 236, 0.2)',
    solid: '#3a414b',
  },
};

export function ink(theme: Theme): Ink {
  return INKS[theme];
}

/** Open, stick, slip: told apart by lightness as well as by hue. */
export function statusColour(theme: Theme, status: number): string {
  if (status === 1) return lineColour(theme, 0);
  if (status === 2) return lineColour(theme, 1);
  return theme === 'dark' ? '#3a414b' : '#d8dce2';
}

export const STATUS = ['open', 'stick', 'slip'];

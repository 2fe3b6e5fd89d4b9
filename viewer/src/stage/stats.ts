/** What the stage tells about itself, for tests and for measuring. */
export interface Stats {
  bodies: number;
  instances: number;
  triangles: number;
  calls: number;
  /** Round bodies that were not left out as hidden. */
  spheresDrawn: number;
  /** Pictures are computed without a graphics card. */
  software: boolean;
  /** Milliseconds of the last pictures, newest last. */
  frameTimes: number[];
  pictures: number;
  /** Milliseconds from opening the page to the first picture with bodies. */
  firstPicture: number;
  shownFrame: number;
  shownTime: number;
  contactFrame: number;
  contacts: number;
  memory: number;
  pose: (body: number) => number[];
}

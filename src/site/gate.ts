/**
 * The tollgate, the picture of this service: a barrier that rises when a call is paid. The front page, the empty states of the
 * dashboard and the image of a link draw it from these shapes, on a grid of 200 by 96 with the ground at 84. A call is a tile of
 * 32 by 32 that waits before the barrier, and stands `passed` units further under a raised one; the arm turns around `pivot`.
 */
export const GATE = {
  width: 200,
  height: 96,
  ground: "M4 84h192",
  tile: { x: 24, y: 52, size: 32, radius: 8 },
  passed: 64,
  post: { x: 138, y: 48, width: 12, height: 36, radius: 3 },
  pivot: { x: 144, y: 54, radius: 5 },
  arm: "M144 54H70",
  stripes: "M128 54H74",
  booth: "M160 84V45h26v39M156 45h34v-5a3 3 0 0 0-3-3h-28a3 3 0 0 0-3 3zM166 53h14v11h-14z",
  raisedDegrees: 38,
} as const;

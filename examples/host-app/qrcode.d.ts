// The types of qrcode name a canvas, which only a browser has.
declare global {
  type HTMLCanvasElement = never;
}

export {};

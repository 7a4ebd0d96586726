/** Converts `#rrggbb` to an opaque pixel of ImageData; any other text is grey. */
export function pixelOf(color: string): number {
  const [, hex = '888888'] = /^#([\da-f]{6})$/i.exec(color) ?? []
  const bytes = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return new Uint32Array(Uint8Array.of(...bytes, 255).buffer)[0] ?? 0
}

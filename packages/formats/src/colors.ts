/** Colours of labels and instances in pictures (spec/formats.md 6.5). A colour is a number, 0xRRGGBB. */

/**
 * The default colour of an index: its bits, three at a time, become the high bits of red, green and blue. 1 is 128,0,0. Behind the 256
 * colours of the VOC palette it goes on in the same way.
 */
export function paletteColor(index: number): number {
  let color = 0
  for (let bit = 0; bit < 8; bit += 1) {
    const [red, green, blue] = [0, 1, 2].map((offset) => (index >> (3 * bit + offset)) & 1)
    const place = 7 - bit
    color |= ((red ?? 0) << (16 + place)) | ((green ?? 0) << (8 + place)) | ((blue ?? 0) << place)
  }
  return color
}

export const rgb = (red: number, green: number, blue: number): number =>
  (red << 16) | (green << 8) | blue

/** `255,128,0`. */
export function colorText(color: number, separator = ','): string {
  return [color >> 16, (color >> 8) & 255, color & 255].join(separator)
}

/** Of `#ff8000`; undefined for anything else. */
export function parseColor(text: string | undefined): number | undefined {
  return text && /^#[0-9a-f]{6}$/i.test(text) ? Number.parseInt(text.slice(1), 16) : undefined
}

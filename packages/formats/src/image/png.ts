/** A small PNG codec for images of labels. It keeps palettes and 16 bits, which decoders for photos do not. */
export { type Png, pixelsInPicture, readPng } from './png-read.ts'
export { type PaletteEntry, writeGrey16Png, writePalettePng, writeRgbPng } from './png-write.ts'

import sharp from 'sharp'

export interface ImageFile {
  name: string
  bytes: Uint8Array
}

/** Creates a plain PNG of `width` x `height` pixels. */
export async function createImage(name: string, width: number, height: number): Promise<ImageFile> {
  const background = { r: 200, g: 180, b: name.length % 255 }
  const bytes = await sharp({ create: { width, height, channels: 3, background } })
    .png({ compressionLevel: 1 })
    .toBuffer()
  return { name, bytes }
}

/** Creates `frame-001.png` and so on, all of one size. */
export async function createImages(count: number, width = 64, height = 48): Promise<ImageFile[]> {
  const { bytes } = await createImage('frame', width, height)
  return Array.from({ length: count }, (_, index) => ({
    name: `frame-${String(index + 1).padStart(3, '0')}.png`,
    bytes,
  }))
}

/**
 * Creates `f-0.JPG` and so on, starting at a width of 40 and each a pixel wider; the second is a PNG, the third is
 * rotated by its EXIF data.
 */
export function createMixedImages(count: number): Promise<ImageFile[]> {
  const one = async (index: number) => {
    const size = { width: 40 + index, height: 30 }
    const image = sharp({ create: { ...size, channels: 3, background: 'teal' } })
    const name = `f-${index}`
    if (index === 1) return { name: `${name}.png`, bytes: await image.png().toBuffer() }
    const orientation = index === 2 ? 6 : 1
    const bytes = await image.jpeg().withMetadata({ orientation }).toBuffer()
    return { name: `${name}.JPG`, bytes }
  }
  return Promise.all(Array.from({ length: count }, (_, index) => one(index)))
}

/** Creates a bitmap of one colour with 24 bits; `claims` are the sides in its header. */
export function createBitmap(width: number, height: number, claims = [width, height]): Buffer {
  const stride = Math.ceil((width * 3) / 4) * 4
  const bytes = Buffer.alloc(54 + stride * height, 0x40)
  bytes.fill(0, 0, 54)
  bytes.write('BM', 0, 'latin1')
  bytes.writeUInt32LE(54, 10)
  bytes.writeUInt32LE(40, 14)
  for (const [index, side] of claims.entries()) bytes.writeInt32LE(side, 18 + 4 * index)
  bytes.writeUInt16LE(24, 28)
  return bytes
}

export function formOf(files: ImageFile[], fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  files.forEach(({ name, bytes }, index) => {
    form.append(`client_files[${index}]`, new Blob([Buffer.from(bytes)]), name)
  })
  return form
}

/** Builds the form of a guide's asset; `type` is its declared content type. */
export function assetForm(
  guide_id: number,
  { name, bytes }: ImageFile,
  type = 'image/png',
): FormData {
  const form = new FormData()
  form.append('file', new Blob([Buffer.from(bytes)], { type }), name)
  form.append('guide_id', String(guide_id))
  return form
}

export function annotationFile(content: string | Uint8Array, name: string): FormData {
  const form = new FormData()
  const part = typeof content === 'string' ? content : Buffer.from(content)
  form.append('annotation_file', new Blob([part]), name)
  return form
}

export function datasetFile(content: Uint8Array, name = 'set.zip'): FormData {
  const form = new FormData()
  form.append('dataset_file', new Blob([Buffer.from(content)]), name)
  return form
}

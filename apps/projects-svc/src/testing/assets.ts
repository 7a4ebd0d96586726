import type { CallContext } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { bytesOf } from '@reticle/kit/testing/bytes'
import sharp, { type FormatEnum } from 'sharp'
import type { Services } from './workspace.ts'

export interface TestFile {
  filename: string
  media_type: string
  bytes: Uint8Array
}

const formats: Record<string, keyof FormatEnum> = { jpg: 'jpeg', webp: 'webp', gif: 'gif' }

/** Returns an image of one colour in the format of the file name. */
export async function pictureFile(
  filename: string,
  { width = 8, height = 6 }: { width?: number; height?: number } = {},
): Promise<TestFile> {
  const format = formats[filename.split('.').at(-1) ?? ''] ?? 'png'
  const background = { r: 200, g: 100, b: 50 }
  const bytes = await sharp({ create: { width, height, channels: 3, background } })
    .toFormat(format)
    .toBuffer()
  return { filename, media_type: `image/${format}`, bytes }
}

export const pdfFile: TestFile = {
  filename: 'rules.pdf',
  media_type: 'application/pdf',
  bytes: Buffer.from('%PDF-1.7\n'),
}

/** Uploads a file as the gateway does: opens an upload, writes to the store and stores the asset. */
export function createUploader({ guides }: Pick<Services, 'guides'>, blobs: BlobStore) {
  return async (guide_id: number, { bytes, ...file }: TestFile, call: CallContext) => {
    const { upload_id, prefix } = await guides.openAssetUpload({}, call)
    await blobs.put(`${prefix}0`, bytesOf(bytes))
    return guides.storeAsset({ body: { upload_id, guide_id, ...file } }, call)
  }
}

/** Returns the keys of all objects of this service. */
export async function keysIn(blobs: BlobStore): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list('projects/')) keys.push(key)
  return keys
}

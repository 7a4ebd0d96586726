import type { frames } from '@reticle/contracts/api/frames'
import type { media } from '@reticle/contracts/api/media'
import type { storages } from '@reticle/contracts/api/storages'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import {
  type BytesAnswer,
  type CallContext,
  DomainError,
  notFound,
  type Service,
} from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Chunks } from '../chunks/open.ts'
import { contextImages } from './context-images.ts'
import type { FramePicture, FramePictures } from './pictures.ts'
import { type MediaQuery, parseMediaQuery } from './query.ts'

interface Deps {
  services: {
    media: Pick<Service<typeof media>, 'locateFrame' | 'locateChunk'>
    storages: Pick<Service<typeof storages>, 'readPreviewImage'>
  }
  blobs: Pick<BlobStore, 'get'>
  pictures: FramePictures
  chunks: Pick<Chunks, 'open'>
}

type Frames = Service<typeof frames>
type DataInput = Parameters<Frames['getJobData']>[0]
type PreviewInput = Parameters<Frames['getTaskPreview']>[0]
type Target = 'project' | 'task' | 'job'
type Of<T extends MediaQuery['type']> = Extract<MediaQuery, { type: T }> & {
  target: 'task' | 'job'
  id: number
}

/** Seconds for which a client may cache a picture. */
const max_age = 3600

/**
 * Creates the handlers of pictures of tasks: originals, smaller versions, and chunks
 * (docs/spec/workspace.md#reading-media).
 */
export function frameHandlers({ services, blobs, pictures, chunks: store }: Deps): Frames {
  const frame = async ({ target, id, number, quality }: Of<'frame'>, context: CallContext) => {
    const query = { target, id, number, preview: false }
    const found = await services.media.locateFrame(query, context)
    return answer(await pictures[quality](found), found, quality)
  }
  const small = async ({ target, id, number }: Of<'preview'>, context: CallContext) => {
    const query = { target, id, number, preview: false }
    const found = await services.media.locateFrame(query, context)
    return answer(await pictures.preview(found), found, 'preview')
  }
  const beside = async ({ target, id, number }: Of<'context_image'>, context: CallContext) => {
    const query = { target, id, number, preview: false }
    const found = await services.media.locateFrame(query, context)
    const { files = [] } = found.related ?? {}
    if (files.length === 0) throw notFound('The frame has no context images.', 'no_context_images')
    const picture = { type: 'application/zip', chunks: contextImages(blobs, files) }
    return answer(picture, found, 'context')
  }
  const chunk = async ({ target, id, place, quality }: Of<'chunk'>, context: CallContext) => {
    const found = await services.media.locateChunk({ target, id, ...place }, context)
    const { size: length, chunks, ...head } = await store.open({ ...found, quality }, context)
    const { chunks_updated_date: updated_date } = found
    const more = { updated_date, max_age, has_ranges: true }
    return { head: { type: 'application/zip', length, ...head, ...more }, chunks }
  }
  const data = async (target: 'task' | 'job', input: DataInput, context: CallContext) => {
    const query = parseMediaQuery(input)
    const of = { target, id: input.id }
    if (query.type === 'chunk') return chunk({ ...query, ...of }, context)
    if (query.type === 'frame') return frame({ ...query, ...of }, context)
    if (query.type === 'preview') return small({ ...query, ...of }, context)
    return beside({ ...query, ...of }, context)
  }
  const preview = async (target: Target, { id, prefer }: PreviewInput, context: CallContext) => {
    const query = { target, id, number: 0, preview: true }
    try {
      const frame = await services.media.locateFrame(query, context)
      return answer(await pictures.preview(frame), frame, 'preview')
    } catch (thrown) {
      if (prefersEmpty(prefer) && isWithoutPicture(thrown)) return nothingToShow()
      throw thrown
    }
  }
  return {
    getTaskData: (input, context) => data('task', input, context),
    getJobData: (input, context) => data('job', input, context),
    getProjectPreview: (input, context) => preview('project', input, context),
    getTaskPreview: (input, context) => preview('task', input, context),
    /** projects-svc has the credentials and reads the bucket; the image is decoded here, in a process without them. */
    async getCloudStoragePreview({ id }, context) {
      const { chunks: image } = await services.storages.readPreviewImage({ id }, context)
      const { chunks, ...head } = await pictures.small(image)
      return { head: { ...head, max_age }, chunks }
    },
    getJobPreview: (input, context) => preview('job', input, context),
  }
}

/**
 * Returns whether a `Prefer` header contains the preference for empty responses; preferences are separated by commas
 * (RFC 7240 2).
 */
const prefersEmpty = (prefer = '') =>
  prefer.split(/[,;]/).some((preference) => {
    const [name = '', value = ''] = preference.toLowerCase().split('=')
    return name.trim() === 'handling' && /^(?:empty|"empty")$/.test(value.trim())
  })

/** Returns whether the object exists without a picture. */
const isWithoutPicture = (thrown: unknown) =>
  thrown instanceof DomainError && ['no_preview', 'image_undecodable'].includes(thrown.code)

/** Returns an answer without bytes, which becomes status 204. */
function nothingToShow(): BytesAnswer {
  return { head: { length: 0 }, chunks: noBytes() }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** Returns the picture with an entity tag of its frame, media revision and quality. */
function answer(picture: FramePicture, frame: LocatedFrame, quality: string): BytesAnswer {
  const { type, length, chunks } = picture
  const { task_id, data_revision, frame: number } = frame
  const etag = `"f${task_id}-${data_revision}-${number}-${quality}"`
  return { head: { type, length, etag, max_age }, chunks }
}

import type { frames } from '@reticle/contracts/api/frames'
import type { media } from '@reticle/contracts/api/media'
import type { storages } from '@reticle/contracts/api/storages'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import {
  type BytesAnswer,
  type Context,
  DomainError,
  invalidText,
  type Service,
} from '@reticle/kit'
import type { Picture, Pictures } from './pictures.ts'

interface Deps {
  services: {
    media: Pick<Service<typeof media>, 'locateFrame'>
    storages: Pick<Service<typeof storages>, 'readPreviewImage'>
  }
  pictures: Pictures
}

type Frames = Service<typeof frames>
type DataInput = Parameters<Frames['getTaskData']>[0]
type PreviewInput = Parameters<Frames['getTaskPreview']>[0]
type Target = 'project' | 'task' | 'job'

/** Seconds that a client may keep a picture. */
const max_age = 3600

/** The pictures of tasks, in full or made smaller (`spec/api-workspace.md` 4.7, with its texts). */
export function frameHandlers({ services, pictures }: Deps): Frames {
  const data = async (target: Target, input: DataInput, context: Context) => {
    const { number, quality } = readQuery(input)
    const wanted = { target, id: input.id, number, preview: false }
    const frame = await services.media.locateFrame(wanted, context)
    return answer(await pictures[quality](frame), frame, quality)
  }
  const preview = async (target: Target, { id, prefer }: PreviewInput, context: Context) => {
    const wanted = { target, id, number: 0, preview: true }
    try {
      const frame = await services.media.locateFrame(wanted, context)
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
    /** The bucket is asked by who holds its credentials; the image is decoded here, where there are none. */
    async getCloudStoragePreview({ id }, context) {
      const { chunks: image } = await services.storages.readPreviewImage({ id }, context)
      const { type, length, chunks } = await pictures.small(image)
      return { head: { type, length, max_age }, chunks }
    },
    getJobPreview: (input, context) => preview('job', input, context),
  }
}

/** Among other preferences, which are separated by commas (RFC 7240 2). */
const prefersEmpty = (prefer = '') =>
  /(?:^|[,;])\s*handling\s*=\s*"?empty"?\s*(?:$|[,;])/i.test(prefer)

/** The object is there, its picture is not. */
const isWithoutPicture = (thrown: unknown) =>
  thrown instanceof DomainError && ['no_preview', 'image_undecodable'].includes(thrown.code)

/** An answer of no bytes at all is 204. */
function nothingToShow(): BytesAnswer {
  return { head: { length: 0 }, chunks: noBytes() }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

const qualities = ['original', 'compressed'] as const

function readQuery({ type, number, quality = 'compressed' }: DataInput) {
  if (type !== 'frame')
    throw invalidText("Data type not specified or not supported, the supported type is 'frame'")
  if (number === undefined) throw invalidText('Number is not specified')
  const known = qualities.find((one) => one === quality)
  if (!known) throw invalidText("Wrong quality value, expected 'compressed' or 'original'")
  return { number, quality: known }
}

/** The same frame of the same media in the same quality is the same picture. */
function answer(picture: Picture, frame: LocatedFrame, quality: string): BytesAnswer {
  const { type, length, chunks } = picture
  const { task_id, data_revision, frame: number } = frame
  const etag = `"f${task_id}-${data_revision}-${number}-${quality}"`
  return { head: { type, length, etag, max_age }, chunks }
}

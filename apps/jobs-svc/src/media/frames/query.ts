import type { frames } from '@reticle/contracts/api/frames'
import type { OperationInput } from '@reticle/contracts/api/operation'
import { invalidText } from '@reticle/kit'

type MediaDataInput = OperationInput<typeof frames.getJobData>

const qualities = ['original', 'compressed'] as const
export type MediaQuality = (typeof qualities)[number]

/** Number of a chunk: of the task, or of the job. */
export type ChunkSelector = { number: number; index?: never } | { index: number; number?: never }

/** Requested media with its parameters. */
export type MediaQuery =
  | { type: 'frame'; number: number; quality: MediaQuality }
  | { type: 'preview'; number: number }
  | { type: 'context_image'; number: number }
  | { type: 'chunk'; place: ChunkSelector; quality: MediaQuality }

const types = ['chunk', 'frame', 'preview', 'context_image'] as const

/**
 * Parses a query for media. `preview` is an extension; CVAT clients know the other three types.
 *
 * @throws DomainError invalid, with the texts of CVAT
 */
export function parseMediaQuery({
  number,
  index,
  quality = 'compressed',
  ...input
}: MediaDataInput): MediaQuery {
  const type = types.find((one) => one === input.type)
  if (!type)
    throw invalidText(
      "Data type not specified or not supported, the supported types are 'chunk', 'frame' and 'context_image'",
    )
  const known = qualities.find((one) => one === quality)
  if (!known) throw invalidText("Wrong quality value, expected 'compressed' or 'original'")
  if (type === 'chunk') return { type, place: parseChunkSelector(number, index), quality: known }
  if (number === undefined) throw invalidText('Number is not specified')
  return type === 'frame' ? { type, number, quality: known } : { type, number }
}

function parseChunkSelector(number: number | undefined, index: number | undefined): ChunkSelector {
  if (number !== undefined && index !== undefined)
    throw invalidText('A chunk has a number or an index, both were given')
  if (number !== undefined) return { number }
  if (index === undefined) throw invalidText('Number is not specified')
  return { index }
}

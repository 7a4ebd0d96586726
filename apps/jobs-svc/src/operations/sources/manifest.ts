import { isManifest } from '@reticle/contracts/rest/sources'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { FormatError } from '@reticle/formats/report/errors'
import { z } from 'zod'
import { ignore } from '../../work/report.ts'
import type { KnownPicture } from './source-listing.ts'

/** Manifest of frames with one JSON object per line: CVAT's `manifest.jsonl`. */

export interface FrameManifest {
  /** Positions by name. */
  places: ReadonlyMap<string, number>
  /** Names of the context images of a frame. */
  related: ReadonlyMap<string, readonly string[]>
  /** Facts of pictures, both frames and context images, by name. */
  pictures: ReadonlyMap<string, KnownPicture>
  /** Sizes of frames in pixels, by name. */
  dimensions: ReadonlyMap<string, { width: number; height: number }>
  /** Sizes of files in bytes, by name, if stated: manifests written by Reticle state them for absent files. */
  sizes: ReadonlyMap<string, number>
}

const version = z.object({ version: z.union([z.string(), z.number()]) })
const kind = z.object({ type: z.string() })
const frame = z.object({
  name: z.string().min(1).max(1024),
  extension: z.string().max(64).default(''),
  width: z.int().positive().optional().catch(undefined),
  height: z.int().positive().optional().catch(undefined),
  size: z.int().min(0).optional().catch(undefined),
  meta: z
    .object({
      related_images: z.array(z.string()).default([]),
      related_sizes: z.array(z.int().min(0)).optional().catch(undefined),
    })
    .optional(),
})

const longestLine = 1024 * 1024
const mostFrames = 1_000_000

/**
 * Reads a manifest of images. Its names are relative to its own folder.
 *
 * @throws FormatError naming the line
 */
export async function readManifest(
  name: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<FrameManifest> {
  const folder = name.slice(0, name.lastIndexOf('/') + 1)
  const places = new Map<string, number>()
  const related = new Map<string, readonly string[]>()
  const pictures = new Map<string, KnownPicture>()
  const dimensions = new Map<string, { width: number; height: number }>()
  const sizes = new Map<string, number>()
  const read = { places, related, pictures, dimensions, sizes }
  let number = 0
  for await (const line of linesOf(name, pieces)) {
    number += 1
    const fail: Fail = (reason) => new FormatError(reason, { file: name, record: `line ${number}` })
    const value = parsed(line)
    if (number <= 2) assertHead(number, value, fail)
    else addFrame(read, readFrame(value, fail), folder, fail)
  }
  return read
}

type Fail = (reason: string) => FormatError

/** The first line states the version, the second the content type of the manifest. */
function assertHead(number: number, value: unknown, fail: Fail): void {
  if (number === 1) {
    if (!version.safeParse(value).success) throw fail('the version of the manifest is expected')
    return
  }
  const type = kind.safeParse(value).data?.type
  if (type !== 'images') throw fail(`a manifest of images is expected, not of '${type}'`)
}

function readFrame(value: unknown, fail: Fail): z.infer<typeof frame> {
  const read = frame.safeParse(value)
  if (!read.success) throw fail('the name and extension of a frame are expected')
  return read.data
}

interface Filled {
  places: Map<string, number>
  related: Map<string, readonly string[]>
  pictures: Map<string, KnownPicture>
  dimensions: Map<string, { width: number; height: number }>
  sizes: Map<string, number>
}

function addFrame(
  { places, related, pictures, dimensions, sizes }: Filled,
  { name, extension, width, height, size: bytes, meta }: z.infer<typeof frame>,
  folder: string,
  fail: Fail,
): void {
  const file = `${folder}${name}${extension}`
  if (places.has(file)) throw fail(`the frame '${file}' is listed twice`)
  if (places.size === mostFrames) throw fail(`at most ${mostFrames} frames can be listed`)
  places.set(file, places.size)
  const size = width && height ? { width, height } : undefined
  addPicture(pictures, file, size)
  if (size) dimensions.set(file, size)
  const beside = (meta?.related_images ?? []).map((one) => `${folder}${one}`)
  if (beside.length > 0) related.set(file, beside)
  for (const one of beside) addPicture(pictures, one)
  if (bytes !== undefined) sizes.set(file, bytes)
  for (const [place, size] of (meta?.related_sizes ?? []).entries())
    sizes.set(beside[place] ?? '', size)
}

/** Adds a picture whose type follows from its name; others have to be opened. */
function addPicture(
  pictures: Map<string, KnownPicture>,
  name: string,
  size?: KnownPicture['size'],
): void {
  const media_type = mediaTypes[name.slice(name.lastIndexOf('.') + 1).toLowerCase()]
  if (media_type !== undefined) pictures.set(name, { media_type, ...(size && { size }) })
}

const mediaTypes: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  gif: 'image/gif',
  bmp: 'image/bmp',
  avif: 'image/avif',
}

/**
 * Splits pieces into lines.
 *
 * @throws FormatError for a line without end
 */
export async function* linesOf(
  file: string,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestLine) throw new FormatError('a line is too long', { file })
    yield* lines.filter(isFilled)
  }
  rest += decoder.decode()
  if (isFilled(rest)) yield rest
}

const isFilled = (line: string) => line.trim() !== ''

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Removes the manifests that do not apply. A folder of a share or a bucket can contain several `.jsonl` files: one that
 * the request names applies, otherwise the only one. The others are reported.
 *
 * @param files by their names
 * @param named as the request names them
 */
export function dropOtherManifests(
  files: Map<string, unknown>,
  named: readonly string[],
  report: ReportWriter,
): void {
  const manifests = [...files.keys()].filter(isManifest)
  const listedNames = new Set(named.map((name) => name.replace(/^\/+/, '')))
  const others = manifests.filter((name) => !listedNames.has(name))
  if (manifests.length < 2) return
  for (const name of others) {
    ignore(report, name, 'one of several manifests')
    files.delete(name)
  }
}

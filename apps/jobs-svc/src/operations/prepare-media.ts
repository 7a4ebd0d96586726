import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { createReport, type ReportWriter } from '@reticle/formats/report'
import { atMost } from '../frames/at-most.ts'
import { type Candidate, findCandidates, ignore } from '../media/candidates.ts'
import { imageSize, largestImageBytes, largestPixels } from '../media/image.ts'
import { compareNames } from '../media/order.ts'
import { sniff } from '../media/sniff.ts'
import type { CreateWork, Outcome } from '../requests/work.ts'
import { contextOf, type OperationDeps, UnusableInput } from './operation.ts'
import { toReport } from './report.ts'
import { stage } from './staging.ts'

/** Share of the work after which all pictures have been looked at. */
const readShare = 0.9

/**
 * Turns uploaded files into the frames of a task: finds the pictures, orders them and reads their sizes, then hands the
 * list to the task in one call, which splits it into jobs (`spec/api-workspace.md` 4.5). The files stay where they are.
 */
export async function prepareMedia(work: CreateWork, deps: OperationDeps): Promise<Outcome> {
  const { blobs, services, signal, tmpDir, limits } = deps
  const { task_id, params, request_uuid: call_id } = work
  const context = contextOf(work, signal)
  deps.progress(0, 'Reading images')
  // Not refused here when the task has media: an earlier attempt of this very request may have attached it.
  await services.tasks.authorize({ target: 'task', id: task_id, action: 'upload:data' }, context)

  const report = createReport()
  const candidates = inOrder(
    await findCandidates(params.files, { blobs, limits, report }),
    params,
    report,
  )
  const found = { count: 0, chunk_size: params.chunk_size ?? 0 }
  const staged = await stage(
    tmpDir,
    'frames.lines',
    frameLines(candidates, report, found, deps),
    signal,
  )
  if (found.count === 0) throw new UnusableInput('No media data found')

  await deps.enterFinal()
  deps.progress(readShare, 'Creating jobs')
  const { image_quality, validation_params, job_file_mapping, job_count } = params
  const media = {
    task_id,
    call_id,
    image_quality,
    chunk_size: found.chunk_size,
    ...(validation_params && { validation_params }),
    ...(job_file_mapping && {
      job_sizes: { frames: job_file_mapping.map(({ files }) => files.length) },
    }),
    ...(job_count !== null && { job_count }),
    body: staged.read(),
  }
  await services.media.attachMedia(media, context)
  return { report: toReport(report), result: null, result_id: task_id }
}

/**
 * As `sorting_method` says; with a mapping of files to jobs those that it lists, in its order, and no others.
 *
 * @throws UnusableInput for a listed file that was not sent
 */
function inOrder(
  candidates: Candidate[],
  { sorting_method, job_file_mapping }: CreateWork['params'],
  report: ReportWriter,
): Candidate[] {
  if (!job_file_mapping) {
    const compare = compareNames[sorting_method]
    return candidates.sort((a, b) => compare(a.name, b.name))
  }
  const byName = new Map(candidates.map((one) => [one.name, one]))
  const listed = job_file_mapping
    .flatMap(({ files }) => files)
    .map((name) => {
      const found = byName.get(name)
      if (!found) throw new UnusableInput(`job_file_mapping: no image called '${name}' was sent`)
      byName.delete(name)
      return { ...found, isListed: true }
    })
  for (const name of byName.keys()) ignore(report, name, 'not listed in job_file_mapping')
  return listed
}

/** Found out on the way: how many frames there are, and how many make a chunk. */
interface Found {
  count: number
  chunk_size: number
}

/** Pictures that are looked at side by side. */
const sideBySide = 8

async function* frameLines(
  candidates: readonly Candidate[],
  report: ReportWriter,
  found: Found,
  { signal, progress }: OperationDeps,
): AsyncGenerator<string> {
  const whole = atMost(1)
  for (let at = 0; at < candidates.length; at += sideBySide) {
    signal.throwIfAborted()
    const batch = candidates.slice(at, at + sideBySide)
    for (const frame of await Promise.all(batch.map((one) => frameOf(one, report, whole)))) {
      if (!frame) continue
      if (found.chunk_size === 0) found.chunk_size = chunkSize(frame)
      found.count += 1
      yield encodeFrame(frame)
    }
    progress((readShare * at) / candidates.length, 'Reading images')
  }
}

/** Bytes that tell the size of nearly every image; EXIF data and profiles stand before it. */
const headBytes = 128 * 1024

async function frameOf(
  candidate: Candidate,
  report: ReportWriter,
  whole: ReturnType<typeof atMost>,
): Promise<FrameSource | undefined> {
  const { name } = candidate
  const head = await candidate.head(headBytes)
  const kind = sniff(head)
  if (kind.is !== 'image') {
    const what =
      kind.is === 'unsupported' ? `media type '${kind.media_type}' is not supported` : 'no image'
    if (candidate.isListed) throw new UnusableInput(`job_file_mapping: ${name}: ${what}`)
    ignore(report, name, what)
    return undefined
  }
  const { width, height } = await sizeOf(candidate, head, whole)
  if (width * height > largestPixels)
    throw new UnusableInput(
      `${name}: ${width} x ${height} pixels are too many, at most ${largestPixels} are allowed`,
    )
  return { name, width, height, ...(await candidate.place()), media_type: kind.media_type }
}

/** @param whole lets through who reads all of an image: several large ones at once would fill the memory */
async function sizeOf(
  candidate: Candidate,
  head: Uint8Array,
  whole: ReturnType<typeof atMost>,
): Promise<{ width: number; height: number }> {
  const { name, size } = candidate
  if (size > largestImageBytes)
    throw new UnusableInput(
      `${name}: images may have ${largestImageBytes} bytes, this one has ${size}`,
    )
  const known = await imageSize(head).catch(() => undefined)
  if (known) return known
  const readWhole = async () => imageSize(await candidate.head(size)).catch(() => undefined)
  const found = await whole(readWhole)
  if (!found) throw new UnusableInput(`${name}: the image cannot be read`)
  return found
}

/** Frames a chunk, so that chunks take about the same room (`spec/api-workspace.md` 4.5). */
function chunkSize({ width, height }: { width: number; height: number }): number {
  const fitting = Math.floor((36 * 1920 * 1080) / (width * height))
  return Math.min(Math.max(fitting, 2), 72)
}

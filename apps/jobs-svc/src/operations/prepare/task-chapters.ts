import type { Chapter } from '@reticle/contracts/rest/media'
import { stepOf } from '@reticle/contracts/rest/sources'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { mostChapters } from '../../video/decoder.ts'
import type { CreateWork } from '../../work/request-work.ts'
import type { Counted } from './frame-lines.ts'

type Chosen = Pick<CreateWork['params'], 'start_frame' | 'frame_filter'>

/** Limit in bytes of all chapters as JSON, below the 4 MiB of one message between services. */
const mostBytes = 2 * 1024 * 1024

/**
 * Converts chapters of a video to chapters of a task. A chapter without a frame of the task is left out.
 *
 * @param count number of frames of the task
 * @returns undefined when no chapter is left
 */
export function taskChapters(
  { chapters: found, count }: Pick<Counted, 'chapters' | 'count'>,
  { start_frame, frame_filter }: Chosen,
  { report, file }: { report: ReportWriter; file: string },
): { chapters: Chapter[] } | undefined {
  if (!found) return undefined
  const step = stepOf(frame_filter)
  const chapters: Chapter[] = []
  let { isWhole } = found
  let bytes = 0
  for (const { start: from, stop: to, title } of found.chapters) {
    const start = Math.max(0, Math.ceil((from - start_frame) / step))
    const stop = Math.min(count - 1, Math.floor((to - start_frame) / step))
    if (start > stop) continue
    const chapter = { id: chapters.length, start, stop, metadata: { title } }
    bytes += Buffer.byteLength(JSON.stringify(chapter))
    isWhole &&= bytes <= mostBytes
    if (bytes > mostBytes) break
    chapters.push(chapter)
  }
  if (!isWhole) report.note('skipped', 'ignored-chapter', tooMany, { file })
  return chapters.length > 0 ? { chapters } : undefined
}

const tooMany =
  `only the first chapters of the video are kept: at most ${mostChapters}, ` +
  `and ${mostBytes} bytes of them with their titles`

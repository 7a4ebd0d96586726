import { openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { watchProcesses } from './family.ts'
import type { Restartable } from './server.ts'
import { annotationPieces } from './shapes.ts'
import { type BenchFigure, boundFigure, ratioFigure } from './table.ts'
import { callerOf, downloadFile, makeTask, sendShapes, waitForEnd } from './task.ts'

/** Sizes of the compared sets: the larger one may take ten and a half times as long, and no more memory. */
const sizes = [1_000_000, 10_000_000] as const
const jobs = 10
const framesOfJob = 100

const mostMiB = 150
const mostTimes = 10.5

interface Moved {
  exportMs: number
  importMs: number
  exportMiB: number
  importMiB: number
}

/**
 * Measures COCO exports and imports of a million and of ten million shapes: the times against each other, and the
 * growth of the process that grows most. Takes half an hour and 20 GB.
 */
export async function movementFigures(server: Restartable): Promise<BenchFigure[]> {
  const [small, large] = [await move(server, sizes[0]), await move(server, sizes[1])]
  const times = (what: 'exportMs' | 'importMs') => ({
    limit: small[what],
    subject: large[what],
    ratio: large[what] / small[what],
  })
  const memory = { most: mostMiB, unit: 'MiB' }
  const title = 'COCO of 10,000,000 shapes'
  return [
    ratioFigure('export', `${title} written / of 1,000,000`, times('exportMs'), mostTimes),
    ratioFigure('import', `${title} read / of 1,000,000`, times('importMs'), mostTimes),
    boundFigure(
      'export',
      `${title}: growth of the process that grows most`,
      [large.exportMiB],
      memory,
    ),
    boundFigure(
      'import',
      `${title}: growth of the process that grows most`,
      [large.importMiB],
      memory,
    ),
  ]
}

async function move(server: Restartable, count: number): Promise<Moved> {
  const call = callerOf(server)
  const task = await makeTask(server, jobs * framesOfJob, { segment_size: framesOfJob })
  await fill(server, task, count)
  const at = `/tasks/${task.id}`
  const format = `format=${encodeURIComponent('COCO 1.0')}`
  const exported = await watchProcesses(server.pid(), async () =>
    waitForEnd(call, await call('POST', `${at}/dataset/export?${format}`)),
  )

  const folder = await mkdtemp(join(tmpdir(), 'reticle-bench-'))
  try {
    const file = join(folder, 'annotations.zip')
    await downloadFile(server, String(exported.result.result_url), file)
    const form = new FormData()
    form.append('annotation_file', await openAsBlob(file), 'annotations.zip')
    const answer = await call('POST', `${at}/annotations/?${format}&conv_mask_to_poly=false`, form)
    const imported = await watchProcesses(server.pid(), () => waitForEnd(call, answer))
    return {
      ...{ exportMs: exported.ms, exportMiB: Math.max(...exported.growths) },
      ...{ importMs: imported.ms, importMiB: Math.max(...imported.growths) },
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

const jobList = z.object({ results: z.array(z.object({ id: z.int(), start_frame: z.int() })) })

async function fill(
  server: Restartable,
  { id, labelId }: { id: number; labelId: number },
  count: number,
): Promise<void> {
  const listed = await callerOf(server)('GET', `/jobs?task_id=${id}&page_size=${jobs}`)
  for (const { id: job, start_frame: firstFrame } of jobList.parse(listed).results) {
    const given = { labelId, count: count / jobs, frames: framesOfJob, firstFrame, side: 200 }
    await sendShapes(server, `/jobs/${job}/annotations/`, annotationPieces(given))
  }
}

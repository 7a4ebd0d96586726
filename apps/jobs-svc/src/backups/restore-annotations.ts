import { randomUUID } from 'node:crypto'
import type { BackupJob } from '@reticle/contracts/rest/backups'
import { rowLinesHeader } from '@reticle/contracts/row-lines'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import type { CallContext } from '@reticle/kit'
import type { OperationDeps } from '../operations/operation.ts'
import { stageTexts } from '../operations/staging.ts'
import type { RestoreWork } from '../work/request-work.ts'
import type { BackupArchive } from './read-archive.ts'
import { knownLabels, readSets, type SetLine } from './read-sets.ts'

/** Restored task, and the folder of its annotations. */
interface Restored {
  folder: string
  jobs: readonly BackupJob[]
  task_id: number
  /** Ids in the order of its jobs. */
  job_ids: readonly number[]
}

interface Run extends Pick<OperationDeps, 'services' | 'tmpDir' | 'signal'> {
  work: RestoreWork
  archive: BackupArchive
  context: CallContext
  report: ReportWriter
}

/**
 * Writes the sets of `annotations.json` into the jobs of a task by index, one after the other as they are read.
 *
 * @throws FormatError naming the faulty object
 */
export async function restoreAnnotations(task: Restored, run: Run): Promise<void> {
  const { services, context, report, work, tmpDir, signal } = run
  const { jobs, task_id, job_ids } = task
  const { labels } = await services.labels.getLabelSet({ target: 'task', id: task_id }, context)
  const source = setsOf(task, knownLabels(labels), run)[Symbol.asyncIterator]()
  let next = await source.next()
  while (!next.done) {
    const { set } = next.value
    const own = async function* () {
      yield rowLinesHeader
      for (; !next.done && next.value.set === set; next = await source.next()) yield next.value.line
    }
    const into = { target: 'job', id: job_ids[set] ?? 0, mode: 'replace' } as const
    const sent = { call_id: randomUUID(), rq_id: work.rq_id, keeps_state: keepsState(jobs[set]) }
    const staged = await stageTexts(tmpDir, 'set.rows', own(), signal)
    const write = { ...into, ...sent, body: staged.read() }
    const created = await services.annotations.writeRows(write, context)
    for (const kind of ['tags', 'shapes', 'tracks'] as const) report.created(kind, created[kind])
  }
}

/** Yields row lines of the jobs of a task, by their indexes. */
async function* setsOf(
  { folder, jobs }: Restored,
  labels: ReturnType<typeof knownLabels>,
  { archive: { zip }, report, signal }: Run,
): AsyncGenerator<SetLine> {
  const file = `${folder}annotations.json`
  const entry = zip.files.get(file)
  if (!entry) return
  const sets = { file, most: jobs.length }
  for await (const one of readSets(zip.stream(entry), labels, sets, report)) {
    signal.throwIfAborted()
    yield one
  }
}

/**
 * Returns whether the archive states a state or a later stage of the job. Otherwise annotations set the job to "in
 * progress".
 */
const keepsState = (job: BackupJob | undefined) =>
  job?.state !== undefined || job?.status !== 'annotation'

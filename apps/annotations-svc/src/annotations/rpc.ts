import { type BytesAnswer, type CallContext, DomainError, invalidText } from '@reticle/kit'
import { type Batch, orNothing, readBody } from '../bodies/body.ts'
import {
  type Checker,
  openChecker,
  type ReadObject,
  readCreated,
  readNew,
} from '../bodies/check.ts'
import type { Deps, Handlers } from '../deps.ts'
import { listRevisions } from '../history/list.ts'
import { readDiff, readRevision } from '../history/read.ts'
import { describeLimits } from '../limits.ts'
import type { Checked } from '../reading/objects.ts'
import { readLines, readSet } from '../reading/read.ts'
import { readAnnotationsTag, readStatistics } from '../statistics/read.ts'
import { annotationsTag } from '../targets/etags.ts'
import { labelsForWrite } from '../targets/labels.ts'
import { writeOnce } from '../targets/once.ts'
import { findJobRows, type JobRows } from '../targets/repo.ts'
import { type AnnotationTarget, openTarget } from '../targets/target.ts'
import { writeRows } from '../writing/bulk.ts'
import { type Condition, removeObjects } from '../writing/remove.ts'
import { updateObjects } from '../writing/update.ts'
import { assertHasMedia, writeSet } from '../writing/write.ts'
import { restoreRevision } from './restore.ts'

type Kind = 'task' | 'job'

/** Creates the handlers of `AnnotationService`, which reads and writes the annotation sets of tasks and jobs. */
export function annotationHandlers(deps: Deps): Handlers {
  return {
    getTaskAnnotations: (input, context) => getSet(deps, 'task', input, context),
    getJobAnnotations: (input, context) => getSet(deps, 'job', input, context),
    replaceTaskAnnotations: (input, context) => replaceSet(deps, 'task', input, context),
    replaceJobAnnotations: (input, context) => replaceSet(deps, 'job', input, context),
    updateTaskAnnotations: (input, context) => patchSet(deps, 'task', input, context),
    updateJobAnnotations: (input, context) => patchSet(deps, 'job', input, context),
    deleteTaskAnnotations: (input, context) => clearSet(deps, 'task', input, context),
    deleteJobAnnotations: (input, context) => clearSet(deps, 'job', input, context),
    getProjectAnnotationStatistics: (input, context) =>
      readStatistics(deps, { target: 'project', ...input }, context),
    getTaskAnnotationStatistics: (input, context) =>
      readStatistics(deps, { target: 'task', ...input }, context),
    getJobAnnotationStatistics: (input, context) =>
      readStatistics(deps, { target: 'job', ...input }, context),
    ...historyHandlers(deps),
    readRows: async (input, context) => {
      const waitMs = deps.settings.labelsLongWaitMs
      const target = await openTarget(deps, input, 'annotations:read', context, waitMs)
      return readLines(deps, target, context)
    },
    describe: async () => describeLimits(deps),
    writeRows: (input, context) => writeRows(deps, input, context),
    getRevision: async (input, context) => {
      if (input.target === 'project')
        return { etag: await readAnnotationsTag(deps, input, context) }
      const target = await openTarget(deps, input, 'annotations:read', context)
      return { etag: annotationsTag(target, await findJobRows(deps.db, target)) }
    },
  }
}

type GetInput = Parameters<Handlers['getJobAnnotations']>[0]
type PutInput = Parameters<Handlers['replaceJobAnnotations']>[0]
type PatchInput = Parameters<Handlers['updateJobAnnotations']>[0]
type DeleteInput = Parameters<Handlers['deleteJobAnnotations']>[0]

async function getSet(deps: Deps, kind: Kind, { id, ...given }: GetInput, context: CallContext) {
  const { frames, label_id, filter, interpolate, ...flow } = given
  if (flow.action === 'import_status') throw createGoneError('GET /requests/{rq_id}')
  if (Object.values(flow).some((one) => one !== undefined))
    throw createGoneError(`POST /${kind}s/{id}/dataset/export`)
  const target = await openTarget(deps, { target: kind, id }, 'annotations:read', context)
  return readSet(deps, target, { frames, label_id, filter, interpolate }, context)
}

async function replaceSet(deps: Deps, kind: Kind, input: PutInput, context: CallContext) {
  const { id, format, rq_id, if_match } = input
  if (format !== undefined || rq_id !== undefined)
    throw createGoneError(`POST /${kind}s/{id}/annotations`)
  const { target, seen } = await openForWrite(deps, kind, id, context)
  const labels = await labelsForWrite(deps, target, context, seen)
  const checker = openChecker(deps, target, labels, context)
  const rest = { isReplacement: true, action: 'replace' as const, if_match, labels }
  return writeOnce(deps, input, context, (body, note) => {
    const source = checkAll(readBody(body), checker, readNew)
    return writeSet(deps, { target, source, ...rest, note }, context)
  })
}

async function patchSet(deps: Deps, kind: Kind, input: PatchInput, context: CallContext) {
  const { id, action, if_match, is_whole = false } = input
  const { target, seen } = await openForWrite(deps, kind, id, context)
  if (action !== 'create' && action !== 'update' && action !== 'delete') {
    throw invalidText("Please specify a correct 'action' for the request")
  }
  assertHasMedia(target)
  return writeOnce(deps, input, context, (body, note) =>
    patchWith(
      deps,
      { target, seen, action, if_match, is_whole, note },
      readBody(orNothing(body)),
      context,
    ),
  )
}

/**
 * Opens the target of a write. The row of a job is read in parallel, because its id is known; the rows of a task are
 * read after its jobs are known.
 */
async function openForWrite(deps: Deps, kind: Kind, id: number, context: CallContext) {
  const [target, seen] = await Promise.all([
    openTarget(deps, { target: kind, id }, 'annotations:write', context),
    kind === 'job' ? findJobRows(deps.db, { jobs: [{ id }] }) : undefined,
  ])
  // After a recent label change the row may be older than the target, so it is read again.
  return { target, seen: target.label_events.length > 0 ? undefined : seen }
}

interface Patch extends Condition {
  target: AnnotationTarget
  /** Rows of the jobs that were read before the labels; undefined when none were read. */
  seen: JobRows | undefined
  action: 'create' | 'update' | 'delete'
  is_whole: boolean
}

async function patchWith(
  deps: Deps,
  { target, seen, action, is_whole, ...condition }: Patch,
  batches: AsyncIterable<Batch>,
  context: CallContext,
): Promise<BytesAnswer> {
  if (action === 'delete') return removeObjects(deps, target, batches, condition, context)
  const labels = await labelsForWrite(deps, target, context, seen)
  const checker = openChecker(deps, target, labels, context)
  if (action === 'update') {
    const update = { target, source: batches, checker, labels, is_whole, ...condition }
    return updateObjects(deps, update, context)
  }
  const source = checkAll(batches, checker, readCreated)
  const rest = { isReplacement: false, action, labels, ...condition }
  return writeSet(deps, { target, source, ...rest }, context)
}

async function clearSet(
  deps: Deps,
  kind: Kind,
  { id, if_match }: DeleteInput,
  context: CallContext,
) {
  const target = await openTarget(deps, { target: kind, id }, 'annotations:write', context)
  const labels = { labels_revision: target.labels_revision }
  const rest = { isReplacement: true, action: 'delete' as const, if_match, labels }
  const { head } = await writeSet(deps, { target, source: nothing<Checked[]>(), ...rest }, context)
  return { head: { etag: head.etag, length: 0 }, chunks: nothing<Uint8Array>() }
}

async function* nothing<T>(): AsyncGenerator<T> {}

async function* checkAll(
  batches: AsyncIterable<Batch>,
  { check }: Checker,
  read: ReadObject,
): AsyncGenerator<Checked[]> {
  for await (const batch of batches) yield check(batch, read)
}

/** Error for parameters of the removed export and import flow. */
const createGoneError = (instead: string) =>
  new DomainError('gone', `This endpoint is no longer supported. Use ${instead}`)

type HistoryHandlers = Pick<
  Handlers,
  | 'listTaskRevisions'
  | 'listJobRevisions'
  | 'getJobRevision'
  | 'getJobAnnotationsDiff'
  | 'restoreJobRevision'
>

/** Creates the handlers that read and restore revisions of annotations. */
function historyHandlers(deps: Deps): HistoryHandlers {
  const list =
    (target: 'task' | 'job'): HistoryHandlers['listJobRevisions'] =>
    async ({ id, ...query }, context) => {
      const found = await openTarget(deps, { target, id }, 'annotations:read', context)
      return listRevisions(deps.db, found, query)
    }
  return {
    listTaskRevisions: list('task'),
    listJobRevisions: list('job'),
    getJobRevision: async ({ id, ...query }, context) => {
      const target = await openTarget(deps, { target: 'job', id }, 'annotations:read', context)
      return readRevision(deps, target, query, context)
    },
    getJobAnnotationsDiff: async ({ id, from, to }, context) => {
      const target = await openTarget(deps, { target: 'job', id }, 'annotations:read', context)
      return readDiff(deps, target, { from, to }, context)
    },
    restoreJobRevision: (input, context) => restoreRevision(deps, input, context),
  }
}

import type { Deps, Handlers } from '../deps.ts'
import { listRevisions } from '../history/list.ts'
import { readDiff, readRevision } from '../history/read.ts'
import { openTarget } from '../targets/target.ts'
import { restoreRevision } from './restore.ts'

type HistoryHandlers = Pick<
  Handlers,
  | 'listTaskRevisions'
  | 'listJobRevisions'
  | 'getJobRevision'
  | 'getJobAnnotationsDiff'
  | 'restoreJobRevision'
>

/** Creates the handlers that read and restore revisions of annotations. */
export function historyHandlers(deps: Deps): HistoryHandlers {
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

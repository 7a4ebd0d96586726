import { annotationsChanged } from './annotations.ts'
import type { EventType } from './define.ts'
import { labelsChanged } from './labels.ts'
import { projectCreated, projectDeleted, projectUpdated } from './projects.ts'
import { requestFinished, requestQueued } from './requests.ts'
import {
  jobCreated,
  jobDeleted,
  jobUpdated,
  taskCreated,
  taskDeleted,
  taskUpdated,
} from './tasks.ts'

/** Every event by its name. */
export const events = [
  annotationsChanged,
  jobCreated,
  jobDeleted,
  jobUpdated,
  labelsChanged,
  projectCreated,
  projectDeleted,
  projectUpdated,
  requestFinished,
  requestQueued,
  taskCreated,
  taskDeleted,
  taskUpdated,
] as const satisfies readonly { type: string; data: EventType['data'] }[]

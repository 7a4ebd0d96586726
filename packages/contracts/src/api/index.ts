import { annotations } from './annotations.ts'
import { events } from './events.ts'
import { frames } from './frames.ts'
import { guides } from './guides.ts'
import { identity } from './identity.ts'
import { issues } from './issues.ts'
import { jobs } from './jobs.ts'
import { keys } from './keys.ts'
import { labels } from './labels.ts'
import { media } from './media.ts'
import type { Operation } from './operation.ts'
import { organizations } from './organizations.ts'
import { projects } from './projects.ts'
import { removedOperations } from './removed.ts'
import { requests } from './requests.ts'
import { server } from './server.ts'
import { storages } from './storages.ts'
import { tasks } from './tasks.ts'
import { webhooks } from './webhooks.ts'

/**
 * All tables of operations, from which the gateway, the documents, `proto/` and tests are derived. The key is the name
 * of the file in `proto/`.
 */
export const tables = {
  server,
  identity,
  organizations,
  projects,
  labels,
  tasks,
  jobs,
  issues,
  guides,
  storages,
  media,
  frames,
  annotations,
  requests,
  webhooks,
  events,
  keys,
}

export type Tables = typeof tables

/** All operations of the REST API. */
export const restOperations: Operation[] = Object.values({ ...tables, removedOperations })
  .flatMap((table): Operation[] => Object.values(table))
  .filter((one) => one.method !== null)

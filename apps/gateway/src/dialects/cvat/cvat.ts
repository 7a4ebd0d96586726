import type { Dialect } from '../dialect.ts'
import { annotations } from './annotations.ts'
import { formatLists, renameFormats } from './formats.ts'
import { invitations } from './invitations.ts'
import { jobs } from './jobs.ts'
import { projects } from './projects.ts'
import { requests } from './requests.ts'
import { storages } from './storages.ts'
import { tasks } from './tasks.ts'
import { tokens } from './tokens.ts'
import { webhooks } from './webhooks.ts'

/** The CVAT-compatible dialect (docs/spec/dialect.md#mount). */
export const cvat: Dialect = {
  name: 'cvat',
  mediaType: 'application/vnd.cvat+json',
  translations: {
    ...projects,
    ...tasks,
    ...jobs,
    ...invitations,
    ...storages,
    ...annotations,
    ...formatLists,
    ...requests,
    ...tokens,
    ...webhooks,
  },
  listsOnlyOwn: true,
  failure: renameFormats,
}

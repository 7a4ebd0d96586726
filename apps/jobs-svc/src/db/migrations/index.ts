import type { Migrations } from '@reticle/kit/db/migrate'
import { requests } from './0001-requests.ts'
import { scaling } from './0002-scaling.ts'
import { outboxSent } from './0003-outbox-sent.ts'
import { sweeps } from './0004-sweeps.ts'
import { requestsOfJobs } from './0005-requests-of-jobs.ts'
import { eventExports } from './0006-event-exports.ts'
import { requestsOfOrganizations } from './0007-requests-of-organizations.ts'
import { idempotencyKeys } from './0008-idempotency-keys.ts'
import { uploadSessions } from './0009-upload-sessions.ts'
import { chunks } from './0010-chunks.ts'
import { contents } from './0011-contents.ts'
import { amounts } from './0012-amounts.ts'
import { datasetUploads } from './0013-dataset-uploads.ts'
import { backups } from './0014-backups.ts'
import { checkpoints } from './0015-checkpoints.ts'
import { checkpointKeys } from './0016-checkpoint-keys.ts'

/** Every migration of the schema `requests`, in order. */
export const migrations: Migrations = {
  '0001-requests': requests,
  '0002-scaling': scaling,
  '0003-outbox-sent': outboxSent,
  '0004-sweeps': sweeps,
  '0005-requests-of-jobs': requestsOfJobs,
  '0006-event-exports': eventExports,
  '0007-requests-of-organizations': requestsOfOrganizations,
  '0008-idempotency-keys': idempotencyKeys,
  '0009-upload-sessions': uploadSessions,
  '0010-chunks': chunks,
  '0011-contents': contents,
  '0012-amounts': amounts,
  '0013-dataset-uploads': datasetUploads,
  '0014-backups': backups,
  '0015-checkpoints': checkpoints,
  '0016-checkpoint-keys': checkpointKeys,
}

import type { BlobStore } from '@reticle/kit/blob/blob'
import { bucketOpener, type OpenBucket } from '@reticle/kit/bucket/open'
import { type Logger, silentLog } from '@reticle/kit/observe/log'
import type { Net } from '@reticle/kit/outgoing/guard'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { SecretBox } from '@reticle/kit/settings/secrets'
import type { Kysely } from 'kysely'
import { authorizeHandler } from './access/authorize.ts'
import { backupHandlers } from './backups/rpc.ts'
import type { ProjectsSettings } from './config.ts'
import { annotationsChangedHandler } from './consumer.ts'
import type { ProjectsDb } from './db/schema.ts'
import { findDraftLabels } from './drafts/labels.ts'
import { draftHandlers } from './drafts/rpc.ts'
import { groundTruthHandlers, taskLayoutHandlers } from './ground-truth/rpc.ts'
import { assetHandlers } from './guides/assets/rpc.ts'
import { guideHandlers } from './guides/rpc.ts'
import { identityHandlers, type Mailer } from './identity/index.ts'
import { jobHandlers } from './jobs/rpc.ts'
import { labelHandlers } from './labels/rpc.ts'
import { describeHandler } from './limits.ts'
import { mediaHandlers } from './media/rpc.ts'
import { sourceHandlers } from './media/source.ts'
import {
  membershipsOfUsers,
  organizationHandlers,
  withOrganizationRoles,
} from './organizations/index.ts'
import { changeOwnedLabels } from './projects/labels.ts'
import { projectHandlers } from './projects/rpc.ts'
import { commentHandlers } from './review/comments/rpc.ts'
import { issueHandlers } from './review/issues/rpc.ts'
import type { BucketReach } from './storages/buckets/open.ts'
import { cloudStorageHandlers } from './storages/cloud/rpc.ts'
import { defaultStorageHandlers } from './storages/rpc.ts'
import { changeJob, removeGroundTruth } from './tasks/follow-jobs.ts'
import { taskHandlers } from './tasks/rpc.ts'
import { cloudStorageRemovalHandlers } from './workspaces/cloud-storage-removal.ts'
import { organizationObjects } from './workspaces/organization-objects.ts'

export interface ServerDeps {
  db: Kysely<ProjectsDb>
  bulk?: Kysely<ProjectsDb>
  blobs: BlobStore
  clock: Clock
  settings: ProjectsSettings
  log?: Logger
  mailer?: Mailer
  onMailLost?: (thrown: unknown) => void
  /** Absent: credentials of cloud storages cannot be stored. */
  secrets?: SecretBox
  /** Default: opens buckets over the network, within the allowed networks. */
  openBucket?: OpenBucket
}

/** Builds the handlers of all operation tables. */
export function handlers(deps: ServerDeps) {
  const { db, bulk, blobs, clock, settings, log = silentLog, ...given } = deps
  const { secrets, openBucket, ...mail } = given
  const { allowedNets, administratorNets, egressProxy } = settings.cloudStorages
  const reach = (nets: readonly Net[]): BucketReach => ({
    nets,
    open: openBucket ?? bucketOpener({ nets, egressProxy }),
  })
  const ordinary = reach(allowedNets)
  const outside = { secrets, ordinary, inside: reach([...allowedNets, ...administratorNets]) }
  const memberships = membershipsOfUsers({ clock, settings: settings.organizations })
  return {
    identity: withOrganizationRoles(
      db,
      identityHandlers({ db, clock, settings: settings.identity, memberships, ...mail }),
    ),
    organizations: organizationHandlers({
      db,
      clock,
      log,
      settings: settings.organizations,
      objects: organizationObjects,
      ...mail,
    }),
    projects: projectHandlers({ db }),
    labels: labelHandlers({ db, changeOwnedLabels, findDraftLabels }),
    tasks: {
      ...taskHandlers({ db, settings }),
      ...taskLayoutHandlers({ db }),
      ...describeHandler({ settings, mailer: mail.mailer }),
      ...authorizeHandler({ db, settings }),
      ...backupHandlers({ db, bulk, settings }),
      ...annotationsChangedHandler({ db, settings }),
      ...draftHandlers({ db }),
    },
    issues: { ...issueHandlers({ db }), ...commentHandlers({ db }) },
    guides: { ...guideHandlers({ db }), ...assetHandlers({ db, blobs }) },
    storages: {
      ...cloudStorageHandlers({ db, outside }),
      ...cloudStorageRemovalHandlers({ db }),
      ...defaultStorageHandlers({ db }),
      ...sourceHandlers({ db, outside }),
    },
    jobs: { ...jobHandlers({ db, changeJob, removeGroundTruth }), ...groundTruthHandlers({ db }) },
    media: mediaHandlers({ db, outside, bulk, settings }),
  }
}

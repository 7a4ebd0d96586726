import type { guides } from '@reticle/contracts/api/guides'
import type { identity } from '@reticle/contracts/api/identity'
import type { issues } from '@reticle/contracts/api/issues'
import type { jobs } from '@reticle/contracts/api/jobs'
import type { keys } from '@reticle/contracts/api/keys'
import type { labels } from '@reticle/contracts/api/labels'
import type { media } from '@reticle/contracts/api/media'
import type { organizations } from '@reticle/contracts/api/organizations'
import type { projects } from '@reticle/contracts/api/projects'
import type { storages } from '@reticle/contracts/api/storages'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { Service } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Bus } from '@reticle/kit/bus/bus'
import { keyHandlers } from '@reticle/kit/keys/keys'
import { watchBlobs, watchOutbox } from '@reticle/kit/observe/database'
import type { Logger } from '@reticle/kit/observe/log'
import { deleteExpiredRows } from '@reticle/kit/outbox/inbox'
import { startRelay } from '@reticle/kit/outbox/relay'
import { guardHandlers } from '@reticle/kit/rpc/guard'
import { logBugs } from '@reticle/kit/rpc/observe-calls'
import { type Clock, systemClock } from '@reticle/kit/scheduling/clock'
import { runRepeatedly } from '@reticle/kit/scheduling/repeat'
import type { SecretBox } from '@reticle/kit/settings/secrets'
import type { Kysely } from 'kysely'
import { jobRules } from './access/job-policy.ts'
import { projectRules } from './access/project-policy.ts'
import { taskRules } from './access/task-policy.ts'
import type { ProjectsSettings } from './config.ts'
import { eventHandler, group } from './consumer.ts'
import type { ProjectsDb } from './db/schema.ts'
import { dropOldDrafts } from './drafts/rpc.ts'
import { sweepAssets } from './guides/assets/sweep.ts'
import { guideRules } from './guides/policy.ts'
import {
  accessTokenRules,
  logFailures,
  type Mailer,
  purgeAccessTokens,
  purgeOrigins,
  purgeSessions,
  retryingMailer,
  userRules,
} from './identity/index.ts'
import { deleteOldLabelChanges } from './labels/repo-changes.ts'
import { fillFrameNames } from './media/repo-names.ts'
import { invitationRules, membershipRules, organizationRules } from './organizations/index.ts'
import { commentRules } from './review/comments/policy.ts'
import { issueRules } from './review/issues/policy.ts'
import { handlers } from './server.ts'
import { cloudStorageRules } from './storages/cloud/policy.ts'

export { processParts, readConfig, readSecretKeys } from './config.ts'
export { migrations } from './db/migrations/index.ts'
export type { ProjectsDb } from './db/schema.ts'
export {
  createUser,
  diskMailer,
  ensureAdministrator,
  type NewUser,
  smtpMailer,
} from './identity/index.ts'
export { handlers } from './server.ts'
export { assertSecretsOpen, sealed } from './storages/buckets/secret.ts'

/** Database schema with the tables of this service only. */
export const schema = 'projects'

/** Permission rules as rows, printed as `docs/permissions.md`. */
export const rules = {
  project: projectRules,
  task: taskRules,
  job: jobRules,
  issue: issueRules,
  comment: commentRules,
  guide: guideRules,
  cloud_storage: cloudStorageRules,
  access_token: accessTokenRules,
  user: userRules,
  organization: organizationRules,
  membership: membershipRules,
  invitation: invitationRules,
}

export interface ProjectsPorts {
  db: Kysely<ProjectsDb>
  /** Connection pool of transactions that last as long as a stream of frames; default: `db`. */
  bulk?: Kysely<ProjectsDb>
  /** Database address with the role of the service: the relay opens its own connection. */
  url: string
  /** Registers a listener of commits for the relay (`Database.onCommit`); without it events wait for the next poll. */
  onCommit?: (listener: () => void) => () => void
  bus: Bus
  /** Object store of the files of this service: assets of guides. */
  blobs: BlobStore
  log: Logger
  settings: ProjectsSettings
  clock?: Clock
  /** Absent: no mails are sent. */
  mailer?: Mailer
  /** Absent: credentials of cloud storages cannot be stored. */
  secrets?: SecretBox
}

export interface Projects {
  services: {
    identity: Service<typeof identity>
    organizations: Service<typeof organizations>
    projects: Service<typeof projects>
    labels: Service<typeof labels>
    tasks: Service<typeof tasks>
    jobs: Service<typeof jobs>
    issues: Service<typeof issues>
    guides: Service<typeof guides>
    storages: Service<typeof storages>
    media: Service<typeof media>
    keys: Service<typeof keys>
  }
  stop: () => Promise<void>
}

/** Name of the service in metrics and traces. */
const name = 'projects-svc'

const hourMs = 3_600_000
/** Maximum delay in milliseconds of the log entry about the wrong passwords of a minute. */
const failuresLoggedMs = 10_000

/** Starts the service: handlers, the relay of its outbox and its consumer of `reticle.events.v1`. */
export function startProjects(ports: ProjectsPorts): Projects {
  const { db, bulk, bus, blobs, log, settings, secrets, clock = systemClock } = ports
  const onError = (err: unknown) => log.error({ err }, 'work in the background failed')
  const onBug = logBugs(log)

  const relay = startRelay({ url: ports.url, schema, bus, onError })
  const forget = ports.onCommit?.(relay.wake)
  const subscription = bus.subscribe({
    group,
    topic: 'reticle.events.v1',
    db,
    handle: eventHandler(settings),
  })
  const sweep = async (signal: AbortSignal) => {
    await deleteExpiredRows(db, clock.now())
    await dropOldDrafts(db, clock.now())
    await deleteOldLabelChanges(db, clock.now())
    await purgeAccessTokens({ db, clock, settings: settings.identity })
    await purgeSessions({ db, clock })
    await purgeOrigins({ db, clock })
    await fillFrameNames(db)
    await sweepAssets({ db, blobs, clock, log, signal }) // last, because the object store may be unavailable
  }
  const stopSweeping = runRepeatedly(hourMs, sweep, onError)
  const stopLogging = runRepeatedly(failuresLoggedMs, () => logFailures({ db, clock }), onError)

  const unwatch = [watchOutbox(db, schema), watchBlobs(db, schema)]
  const mailer = ports.mailer && retryingMailer(ports.mailer)
  const onMailLost = (err: unknown) => log.error({ err }, 'a mail was lost')
  const all = handlers({ db, bulk, blobs, clock, settings, log, mailer, onMailLost, secrets })
  return {
    services: {
      identity: guardHandlers(all.identity, onBug, name),
      organizations: guardHandlers(all.organizations, onBug, name),
      projects: guardHandlers(all.projects, onBug, name),
      labels: guardHandlers(all.labels, onBug, name),
      tasks: guardHandlers(all.tasks, onBug, name),
      jobs: guardHandlers(all.jobs, onBug, name),
      issues: guardHandlers(all.issues, onBug, name),
      guides: guardHandlers(all.guides, onBug, name),
      storages: guardHandlers(all.storages, onBug, name),
      media: guardHandlers(all.media, onBug, name),
      keys: guardHandlers<typeof keys>(keyHandlers(db), onBug, name),
    },
    stop: async () => {
      for (const stop of unwatch) stop()
      await Promise.all([subscription.stop(), stopSweeping(), stopLogging(), mailer?.stop()])
      forget?.()
      await relay.stop()
    },
  }
}

import type { tasks } from '@reticle/contracts/api/tasks'
import type { Service } from '@reticle/kit'
import type { ProjectsSettings } from './config.ts'
import { mostAssets } from './guides/references.ts'
import type { Mailer } from './identity/index.ts'
import { mostBytes, mostLabels } from './labels/plan.ts'

interface Deps {
  settings: ProjectsSettings
  mailer?: Mailer
}

/**
 * Builds the handler of the limits and capabilities of this service (`GET /server/limits`, `GET
 * /server/capabilities`).
 */
export function describeHandler({
  settings,
  mailer,
}: Deps): Pick<Service<typeof tasks>, 'describe'> {
  const { identity, organizations } = settings
  const limits = {
    jobs_per_task: settings.maxJobsPerTask,
    consensus_replicas: settings.maxConsensusReplicas,
    labels_per_project: mostLabels,
    label_bytes_per_project: mostBytes,
    guide_assets: mostAssets,
    access_tokens_per_user: identity.maxAccessTokens,
    access_token_stale_days: identity.accessTokenStaleDays,
    invitation_expiry_days: organizations.invitationExpiryDays,
  }
  const features = { registration: identity.registration, email: mailer !== undefined }
  return { describe: async () => ({ limits, features, media: [], image_types: [] }) }
}

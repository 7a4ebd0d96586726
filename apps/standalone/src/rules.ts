import * as jobs from '@reticle/jobs-svc'
import type { Rule } from '@reticle/kit/policy'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'

/** Every permission rule of every service, by resource: `docs/permissions.md` is printed from it. */
export const rules: Record<string, readonly Rule[]> = {
  ...projects.rules,
  request: jobs.requestRules,
  share: jobs.shareRules,
  ...webhooks.rules,
}

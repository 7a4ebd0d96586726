import * as jobs from '@reticle/jobs-svc'
import type { Rule } from '@reticle/kit/call/policy'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'

/** Permission rules of every service by resource, from which `docs/permissions.md` is generated. */
export const rules: Record<string, readonly Rule[]> = {
  ...projects.rules,
  request: jobs.requestRules,
  share: jobs.shareRules,
  ...webhooks.rules,
}

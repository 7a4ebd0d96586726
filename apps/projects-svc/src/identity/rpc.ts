import type { identity } from '@reticle/contracts/api/identity'
import type { Service } from '@reticle/kit'
import { accessTokenHandlers } from './access-tokens/rpc.ts'
import { registrationHandlers } from './accounts/register.ts'
import { accountHandlers } from './accounts/rpc.ts'
import { authenticateHandler } from './authenticate.ts'
import type { IdentityDeps } from './deps.ts'
import { verificationHandlers } from './mail/verify-email.ts'
import { passwordHandlers } from './passwords/change.ts'
import { passwordChecks } from './passwords/check.ts'
import { resetHandlers } from './passwords/reset.ts'
import { signInHandlers } from './sign-in.ts'

/** Builds all handlers of the operation table `identity`. */
export function identityHandlers(deps: IdentityDeps): Service<typeof identity> {
  const { check, checkCached } = passwordChecks(deps)
  return {
    ...signInHandlers(deps, check),
    ...authenticateHandler(deps, checkCached),
    ...registrationHandlers(deps),
    ...passwordHandlers(deps, check),
    ...resetHandlers(deps),
    ...verificationHandlers(deps),
    ...accountHandlers(deps),
    ...accessTokenHandlers(deps),
  }
}

import type { identity } from '@reticle/contracts/api/identity'
import type { Service } from '@reticle/kit'
import { accessTokenHandlers } from './access-tokens/rpc.ts'
import { authenticateHandler } from './authenticate.ts'
import type { IdentityDeps } from './deps.ts'
import { toUser } from './messages.ts'
import { passwordChecks } from './passwords/check.ts'
import { selfOf } from './self.ts'
import { signInHandlers } from './sign-in.ts'

/** Everything that the table `identity` asks for. */
export function identityHandlers(deps: IdentityDeps): Service<typeof identity> {
  const { check, checkCached } = passwordChecks(deps)
  return {
    ...signInHandlers(deps, check),
    ...authenticateHandler(deps, checkCached),
    ...accessTokenHandlers(deps),

    async getSelf(_, context) {
      return toUser(await selfOf(deps.db, context))
    },
  }
}

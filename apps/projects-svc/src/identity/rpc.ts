import type { identity } from '@reticle/contracts/api/identity'
import { type Service, signedIn } from '@reticle/kit'
import { unauthenticated } from '@reticle/kit/errors'
import { accessTokenHandlers } from './access-tokens/rpc.ts'
import { authenticateHandler } from './authenticate.ts'
import type { IdentityDeps } from './deps.ts'
import { toUser } from './messages.ts'
import { passwordChecks } from './passwords/check.ts'
import { findUser } from './repo.ts'
import { signInHandlers } from './sign-in.ts'

/** Everything that the table `identity` asks for. */
export function identityHandlers(deps: IdentityDeps): Service<typeof identity> {
  const { check, checkCached } = passwordChecks(deps)
  return {
    ...signInHandlers(deps, check),
    ...authenticateHandler(deps, checkCached),
    ...accessTokenHandlers(deps),

    async getSelf(_, context) {
      const self = await findUser(deps.db, signedIn(context).user_id)
      if (!self) throw unauthenticated('User inactive or deleted.')
      return toUser(self)
    },
  }
}

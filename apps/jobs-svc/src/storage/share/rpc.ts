import type { server } from '@reticle/contracts/api/server'
import { type Service, signedIn } from '@reticle/kit'
import { assertPermitted } from '@reticle/kit/call/policy'
import { readFolder } from './folder.ts'
import { shareRules, shareStanding } from './policy.ts'

/** Creates the handler of `GET /server/share`. Without a share the listing is empty. */
export function shareHandlers({
  root,
}: {
  root?: string
}): Pick<Service<typeof server>, 'readShare'> {
  return {
    async readShare({ directory = '/', search = '' }, context) {
      assertPermitted(shareRules, 'list', signedIn(context), shareStanding)
      if (root === undefined) return { entries: [] }
      return { entries: await readFolder(root, directory, search) }
    },
  }
}

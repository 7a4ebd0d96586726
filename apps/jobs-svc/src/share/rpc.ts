import type { server } from '@reticle/contracts/api/server'
import { type Service, signedIn } from '@reticle/kit'
import { allow } from '@reticle/kit/policy'
import { readFolder } from './folder.ts'
import { shareRules, shareStanding } from './policy.ts'

/** `GET /server/share`: `spec/api-workspace.md` 1.10. Without a share there is nothing to see. */
export function shareHandlers({
  root,
}: {
  root?: string
}): Pick<Service<typeof server>, 'readShare'> {
  return {
    async readShare({ directory = '/', search = '' }, context) {
      allow(shareRules, 'list', signedIn(context), shareStanding)
      if (root === undefined) return { entries: [] }
      return { entries: await readFolder(root, directory, search) }
    },
  }
}

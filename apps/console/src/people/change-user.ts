import type { UserPatch } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'

/** Changes an account, and asks anew for what is shown. */
export async function changeUser(id: number, body: UserPatch): Promise<void> {
  await api.updateUser({ id, body })
  await queries.invalidateQueries()
}

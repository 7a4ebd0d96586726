import type { UserPatch } from '@reticle/sdk'
import { api } from '../api/client.ts'
import { queries } from '../api/queries.ts'

/** Changes a user and refreshes the data on the page. */
export async function changeUser(id: number, body: UserPatch): Promise<void> {
  await api.updateUser({ id, body })
  await queries.invalidateQueries()
}

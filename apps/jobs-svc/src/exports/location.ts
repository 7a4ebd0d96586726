import type { Principal } from '@reticle/contracts/principal'
import { forbidden, invalid, notFound } from '@reticle/kit'

interface Place {
  location?: string
  cloud_storage_id?: number
}

/** No cloud storage is connected yet, so every id is that of none. */
export function assertLocal({ location = 'local', cloud_storage_id }: Place): void {
  if (location === 'local') return
  if (location !== 'cloud_storage')
    throw invalid({ location: `"${location.slice(0, 100)}" is not a valid choice.` })
  if (cloud_storage_id === undefined)
    throw invalid({ cloud_storage_id: 'cloud_storage_id was not provided' })
  throw notFound(`There is no cloud storage with the id ${cloud_storage_id}.`)
}

/**
 * A token that may only read makes files to be fetched here, and writes none elsewhere (`spec/api-workspace.md` 2.3).
 *
 * @throws DomainError forbidden
 */
export function allowTokenTo({ location = 'local' }: Place, { token }: Principal): void {
  if (token?.read_only && location !== 'local') throw forbidden('This access token may only read.')
}

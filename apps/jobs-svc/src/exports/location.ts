import { invalid, notFound } from '@reticle/kit'

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

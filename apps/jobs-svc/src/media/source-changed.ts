import { conflict, type DomainError } from '@reticle/kit'

/**
 * Media that is read in place may be replaced there.
 *
 * @param path of the file, from the root of its share or cloud storage on
 */
export const sourceChanged = (path: string, place: 'file share' | 'cloud storage'): DomainError =>
  conflict(
    `"${path}" of the ${place} has changed since the media was prepared. Put the former file back, or prepare the media again.`,
    { code: 'source_changed' },
  )

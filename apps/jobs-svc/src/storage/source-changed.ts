import { conflict, type DomainError } from '@reticle/kit'

/**
 * Creates the error for a file that was replaced in its storage after the media was prepared.
 *
 * @param path of the file, relative to the root of its share or cloud storage
 */
export const sourceChanged = (path: string, place: 'file share' | 'cloud storage'): DomainError =>
  conflict(
    `"${path}" of the ${place} has changed since the media was prepared. Put the former file back, or prepare the media again.`,
    { code: 'source_changed' },
  )

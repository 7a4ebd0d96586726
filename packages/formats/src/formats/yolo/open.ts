/** Opens YOLO archives of any layout. */

import type { RandomAccess } from '../../archive/source.ts'
import { openArchive } from '../../importing/open-archive.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { readFolders } from './folders.ts'
import { findDataFile, readListed } from './listed.ts'
import type { YoloSet } from './set.ts'

/**
 * Opens an archive.
 * @throws {FormatError} when it contains no YOLO annotations
 */
export async function openYoloSet(source: RandomAccess, run: ConversionRun): Promise<YoloSet> {
  const zip = await openArchive(source, run)
  const dataFile = findDataFile(zip)
  return dataFile === undefined ? readFolders(zip) : readListed(zip, dataFile, run)
}

/** Opens an archive of YOLO files in whichever layout (spec/formats.md 9.2). */
import { openArchive } from '../archive/open-archive.ts'
import type { RandomAccess } from '../archive/source.ts'
import type { Run } from '../model.ts'
import { readFolders } from './folders.ts'
import { findDataFile, readListed } from './listed.ts'
import type { YoloSet } from './set.ts'

/** @throws {FormatError} for an archive that holds nothing of the kind */
export async function openYoloSet(source: RandomAccess, run: Run): Promise<YoloSet> {
  const zip = await openArchive(source, run)
  const dataFile = findDataFile(zip)
  return dataFile === undefined ? readFolders(zip) : readListed(zip, dataFile, run)
}

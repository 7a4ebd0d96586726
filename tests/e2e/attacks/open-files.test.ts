import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { taskWithMedia } from '../../support/factories.ts'
import { useOwnServer } from '../../support/test-server.ts'

/** Other accounts of the machine cannot open files of the server, under any umask. */

const before = process.umask(0) // the server inherits it when it starts
const reticle = useOwnServer()

/** Paths below a folder that another account may read, write or search. */
function openPaths(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    const isOpen = (statSync(path).mode & 0o077) !== 0
    return [...(isOpen ? [path] : []), ...(entry.isDirectory() ? openPaths(path) : [])]
  })
}

test('objects of uploads, results and backups are private under a umask of 000', async () => {
  process.umask(before)
  const task = await taskWithMedia(reticle.admin)
  for (const path of ['dataset/export?format=COCO%201.0&save_images=true', 'backup/export'])
    await reticle.admin.finished(await reticle.admin.done('POST', `/tasks/${task.id}/${path}`))
  await reticle.admin.bytes(`/tasks/${task.id}/data?type=chunk&number=0&quality=compressed`)
  const objects = join(reticle.path, 'objects')
  expect(statSync(objects).mode & 0o777).toBe(0o700)
  expect(openPaths(objects)).toEqual([])
})

test('only the lock file of the data directory is readable by other accounts', () => {
  const isOpen = (name: string) => (statSync(join(reticle.path, name)).mode & 0o077) !== 0
  expect(readdirSync(reticle.path).filter(isOpen)).toEqual(['lock'])
})

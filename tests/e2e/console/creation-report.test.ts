import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { storedZip } from '../../support/archives.ts'
import { executablePath, visitsOf } from '../../support/browser.ts'
import { rqIdOf } from '../../support/client.ts'
import { taskWithMedia } from '../../support/factories.ts'
import { createImages, formOf, type ImageFile } from '../../support/pictures.ts'
import { dataDirectory } from '../../support/reticle.ts'
import { useTestServer } from '../../support/test-server.ts'

/** The pages of a new task and of its request name the files that did not become frames. */

const textFile = (name: string): ImageFile => ({ name, bytes: Buffer.from('no picture at all') })
const reportName = 'Creation report'

describe.skipIf(!executablePath)('the creation report of a task in the console', () => {
  const reticle = useTestServer()
  const { path, remove } = dataDirectory()
  afterAll(remove)
  const visit = visitsOf(reticle)

  test('files named like images that are not images are named on the pages of the task and the request', async () => {
    const hostile = '<img src=x onerror=alert(1)>.jpg'
    const left = ['cover.jpg', hostile, 'notes.txt'].map(textFile)
    const task = await taskWithMedia(reticle.admin, {
      files: [...(await createImages(2)), ...left],
    })
    expect(task.size).toBe(2)
    const { page, look, complaints, close } = await visit()
    await page.goto(`/tasks/${task.id}`)
    const report = page.getByRole('region', { name: reportName })
    await report.getByText('3 skipped: unknown file type: ').waitFor()
    const text = await report.innerText()
    for (const { name } of left) expect(text).toContain(name)
    await look('task-creation-report')

    await report.getByRole('link', { name: 'See the request' }).click()
    await page.getByText('0 converted, 0 dropped, 3 skipped').waitFor()
    const table = page.getByRole('region', { name: 'Entries of the report' })
    for (const { name } of left) await table.getByText(name).waitFor()
    expect(await page.getByText('0 shapes').count()).toBe(0)
    expect(await page.locator('img[src=x]').count()).toBe(0)
    await look('request-creation-report')
    expect(complaints).toEqual([])
    await close()
  })

  test('the report is shown after files were chosen in the console', async () => {
    const folder = join(path, 'tuesday')
    mkdirSync(folder)
    for (const { name, bytes } of [...(await createImages(2)), textFile('thumbs.png')])
      writeFileSync(join(folder, name), bytes)
    const { page, complaints, close } = await visit()
    await page.goto('/tasks/new')
    await page.locator('input[webkitdirectory]').setInputFiles(folder)
    await page.getByLabel('Add labels').fill('car')
    await page.getByRole('button', { name: 'Create the task' }).click()
    await page.waitForURL(/\/tasks\/\d+$/)
    await page.getByRole('region', { name: reportName }).getByText('thumbs.png').waitFor()
    expect(complaints).toEqual([])
    await close()
  })

  test('the report names the first five archive members per reason', async () => {
    const left = Array.from({ length: 7 }, (_, at) => textFile(`day/none-${at}.jpg`))
    const bytes = storedZip([...left, ...(await createImages(1))])
    const task = await taskWithMedia(reticle.admin, { files: [{ name: 'set.zip', bytes }] })
    const { page, close } = await visit()
    await page.goto(`/tasks/${task.id}`)
    const report = page.getByRole('region', { name: reportName })
    await report.getByText('7 skipped: no image: ').waitFor()
    expect(await report.innerText()).toMatch(/no image: (?:day\/none-\d\.jpg; ){5}…/)
    await close()
  })

  test('the report gives the reason when a task has no frames', async () => {
    const json = { name: 'nothing', labels: [{ name: 'car' }] }
    const { id } = await reticle.admin.done('POST', '/tasks', { json })
    const form = formOf([textFile('cover.jpg')])
    const started = await reticle.admin.done('POST', `/tasks/${id}/data`, { form })
    expect((await reticle.admin.ended(rqIdOf(started))).status).toBe('failed')
    const { page, look, close } = await visit()
    await page.goto(`/tasks/${id}`)
    const report = page.getByRole('region', { name: reportName })
    await report.getByText('No frames could be created from the files.').waitFor()
    await report.getByText('cover.jpg: unknown file type').waitFor()
    await look('task-creation-failed')
    await close()
  })

  test('no report is shown when all files became frames, or on the page of an empty task', async () => {
    const whole = await taskWithMedia(reticle.admin)
    const json = { name: 'empty', labels: [{ name: 'car' }] }
    const empty = await reticle.admin.done('POST', '/tasks', { json })
    const { page, complaints, close } = await visit()
    for (const { id, name } of [whole, empty]) {
      await page.goto(`/tasks/${id}`)
      await page.getByRole('heading', { name }).waitFor()
      await page.waitForLoadState('networkidle')
      expect(await page.getByRole('region', { name: reportName }).count()).toBe(0)
    }
    expect(complaints).toEqual([])
    await close()
  })
})

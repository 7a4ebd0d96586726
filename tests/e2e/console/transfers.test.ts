import { readFile } from 'node:fs/promises'
import { type S3Server, startS3 } from '@reticle/kit/testing/s3-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storedZip, unzip } from '../../support/archives.ts'
import { executablePath, visitsOf } from '../../support/browser.ts'
import { bucketOf } from '../../support/buckets.ts'
import type { AnyJson } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { useOwnServer } from '../../support/test-server.ts'

/** A COCO file for the first frame of a task, with an attribute `colour` that the label does not have. */
function coco(count: number): string {
  const annotations = Array.from({ length: count }, (_, index) => ({
    ...{ id: index + 1, image_id: 1, category_id: 1, iscrowd: 0, area: 100 },
    bbox: [1 + (index % 40), 2, 10, 10],
    attributes: index % 2 === 0 ? { colour: 'red' } : {},
  }))
  return JSON.stringify({
    images: [{ id: 1, file_name: 'frame-001.png', width: 64, height: 48 }],
    categories: [{ id: 1, name: 'car' }],
    annotations,
  })
}

const cocoZip = (count: number) =>
  storedZip([{ name: 'annotations/instances_default.json', bytes: Buffer.from(coco(count)) }])

const xss = '<img src=x onerror=alert(1)>'

describe.skipIf(!executablePath)('imports, exports and backups in the console', () => {
  const reticle = useOwnServer({ RETICLE_JOBS_TENANT_CONCURRENCY: '1' })
  const visit = visitsOf(reticle)
  let store: S3Server
  let task: AnyJson
  let other: AnyJson
  /** Starts an import that runs until it is cancelled, because the bucket with its file never responds. */
  let importForever: (task: AnyJson) => Promise<AnyJson>

  beforeAll(async () => {
    task = await taskWithMedia(reticle.admin)
    other = await taskWithMedia(reticle.admin)
    store = await startS3()
    const json = bucketOf(store, 'silent', { 'set.zip': cocoZip(1) })
    const bucket = await reticle.admin.done('POST', '/cloudstorages', { json })
    store.stalled.add('silent')
    const cloudQuery = `location=cloud_storage&cloud_storage_id=${bucket.id}&filename=set.zip`
    importForever = ({ id }) =>
      reticle.admin.done('POST', `/tasks/${id}/annotations/?format=COCO%201.0&${cloudQuery}`)
  })
  afterAll(() => store?.close())

  const shapesOf = async (id: number) =>
    (await reticle.admin.done('GET', `/tasks/${id}/annotations`)).shapes

  const importDialog = async (page: Page, count: number) => {
    await page.goto(`/tasks/${task.id}`)
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByLabel('File', { exact: true }).setInputFiles({
      ...{ name: 'streets-coco.zip', mimeType: 'application/zip', buffer: cocoZip(count) },
    })
    expect(await page.getByLabel('Format').inputValue()).toBe('COCO 1.0')
  }

  test('an archive is imported after a dry run, and the reports are shown', async () => {
    const { page, look, complaints, close } = await visit()
    await importDialog(page, 20)
    await look('transfers-import')
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('20 shapes, 0 tracks, 0 tags').waitFor()
    await page.getByText("attribute 'colour' unknown on label 'car'").first().waitFor()
    await page.getByText('This was a dry run').waitFor()
    await look('transfers-import-report')
    expect(await shapesOf(task.id)).toEqual([])

    const report = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the report as JSON' }).click()
    const saved = JSON.parse(await readFile(await (await report).path(), 'utf8'))
    expect(saved).toMatchObject({ created: { shapes: 20 }, skipped: 10 })

    await page.getByRole('button', { name: 'Import', exact: true }).last().click()
    await expect.poll(async () => (await shapesOf(task.id)).length, { timeout: 60_000 }).toBe(20)
    expect(complaints).toEqual([])
    await close()
  })

  test('an invalid annotation file is refused with the message of the service', async () => {
    const { page, look, close } = await visit()
    await page.goto(`/tasks/${task.id}`)
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByLabel('File', { exact: true }).setInputFiles({
      ...{ name: `${xss}coco.json`, mimeType: 'application/json', buffer: Buffer.from('{"a":') },
    })
    await page.getByRole('button', { name: 'Import', exact: true }).last().click()
    await page.getByRole('alert').waitFor()
    await look('transfers-import-failed')
    expect(await page.locator('img[src=x]').count()).toBe(0)
    await close()
  })

  test('losses of an export are shown beforehand, and the file is downloaded', async () => {
    const { page, look, complaints, close } = await visit()
    const label = (await reticle.admin.done('GET', `/labels?task_id=${task.id}`)).results[0].id
    const ellipse = (frame: number) => ({
      ...{ type: 'ellipse', label_id: label, frame, points: [20, 20, 30, 10] },
    })
    const shapes = [...Array.from({ length: 12 }, (_, at) => ellipse(at % 4)), rectangle(label)]
    await reticle.admin.done('PUT', `/tasks/${task.id}/annotations`, { json: { shapes } })

    await page.goto(`/tasks/${task.id}`)
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByLabel('Format').selectOption('COCO 1.0')
    await page.getByText('12 ellipses would be converted.').waitFor()
    await page.getByLabel('Format').selectOption('YOLO 1.1')
    await page.getByText('12 ellipses would be dropped.').waitFor()
    await page.getByLabel('Include images').check()
    await page.getByLabel('File name', { exact: true }).fill('streets.zip')
    await look('transfers-export')

    await page.getByRole('button', { name: 'Export', exact: true }).last().click()
    await page.getByText('12 dropped').waitFor()
    await look('transfers-export-done')
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('streets.zip')
    const members = await unzip(await readFile(await file.path()))
    expect([...members.keys()]).toContain('obj_train_data/frame-001.png')
    expect(members.get('obj_train_data/frame-001.txt')?.toString()).toMatch(/^0 /)
    expect(complaints).toEqual([])
    await close()
  })

  test('a backup is restored as another task', async () => {
    const { page, look, complaints, close } = await visit()
    await page.goto(`/tasks/${task.id}`)
    await page.getByRole('button', { name: 'Back up' }).click()
    await look('transfers-backup')
    await page.getByRole('dialog').getByRole('button', { name: 'Back up' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const archive = await readFile(await (await download).path())
    await page.keyboard.press('Escape')

    await page.goto('/tasks')
    await page.getByRole('button', { name: 'Restore a backup' }).click()
    await page.getByLabel('Backup', { exact: true }).setInputFiles({
      ...{ name: 'backup.zip', mimeType: 'application/zip', buffer: archive },
    })
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByRole('link', { name: 'Open the task' }).waitFor()
    await look('transfers-restored')
    expect((await reticle.admin.done('GET', '/tasks')).count).toBe(3)
    expect(complaints).toEqual([])
    await close()
  })

  test('requests show their progress and can be cancelled', async () => {
    const narrow = { width: 360, height: 700, colorScheme: 'dark' } as const
    const { page, look, complaints, close } = await visit()
    const second = await visit(narrow)
    await page.goto('/requests')
    await page.getByRole('table', { name: 'Requests' }).waitFor()
    await second.page.goto('/requests?status=started')
    await second.page.getByText('There are no requests here').waitFor()

    const exported = `/tasks/${task.id}/dataset/export?format=YOLO%201.1`
    const { rq_id } = await importForever(task)
    await importForever(other)
    await reticle.admin.done('POST', exported)
    await page
      .getByText(/in the queue/)
      .first()
      .waitFor()
    await second.page.getByRole('progressbar', { name: 'Import of annotations' }).waitFor()
    await look('requests')
    await second.look('requests-narrow-dark')
    const queued = page.getByRole('row').filter({ hasText: 'Export of annotations' })
    await queued.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled: Export of annotations').waitFor()

    await reticle.admin.call('POST', `/requests/${encodeURIComponent(rq_id)}/cancel`)
    const ofOther = page.getByRole('row').filter({ hasText: `Task ${other.id}` })
    const started = ofOther.filter({ hasText: 'started' })
    await started.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancel the request' }).click()
    await page.getByText('Cancelled: Import of annotations').waitFor()
    await second.page.getByText('There are no requests here').waitFor()

    await ofOther.getByRole('link', { name: 'Import of annotations' }).click()
    await page.getByRole('heading', { name: 'Import of annotations' }).waitFor()
    await page.getByText('Cancelled', { exact: true }).waitFor()
    await look('request')
    expect([...complaints, ...second.complaints]).toEqual([])
    await second.close()
    await close()
  })

  test('an interrupted stream of requests is opened again', async () => {
    const { page, close } = await visit()
    let broken = 0
    await page.route('**/api/requests/stream', (route) =>
      broken++ < 2 ? route.abort() : route.continue(),
    )
    await page.goto('/requests?target=job')
    await page.getByText('There are no requests here').waitFor()
    const [job] = await jobsOf(reticle.admin, task.id)
    await reticle.admin.done('POST', `/jobs/${job.id}/dataset/export?format=COCO%201.0`)
    const row = page.getByRole('row').filter({ hasText: `Job ${job.id}` })
    await row.getByRole('link', { name: 'Download' }).waitFor()
    expect(broken).toBeGreaterThan(2)
    await close()
  })

  test('dialogs fit a narrow window and dark colours', async () => {
    const options = { width: 360, height: 700, colorScheme: 'dark' } as const
    const { page, look, complaints, close } = await visit(options)
    await importDialog(page, 2)
    await look('transfers-import-narrow-dark')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByText(/would be/).waitFor()
    await look('transfers-export-narrow-dark')
    const { width } = (await page.getByRole('dialog').boundingBox()) ?? { width: 0 }
    expect(width).toBeLessThanOrEqual(360)
    expect(complaints).toEqual([])
    await close()
  })
})

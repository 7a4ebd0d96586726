import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Converted } from '../convert/convert.ts'
import { usageFailure } from '../failures/failure.ts'
import { type CliContext, type CommandSession, openSession } from '../session/command-session.ts'
import { formatCounts } from '../terminal/counts.ts'
import { addExamples } from '../terminal/examples.ts'
import { formatReport } from '../terminal/report.ts'

interface ConvertOptions {
  from: string
  to: string
  /** Value of `--images`; false for `--no-images`. */
  images?: string | false
  missingImages?: boolean
  keepMasks?: boolean
  masksToPolygons?: boolean
  force?: boolean
}

export function addConvert(program: Command, context: CliContext): void {
  const command = program
    .command('convert')
    .summary('Convert a dataset between formats, without a server')
    .description(
      'Converts a dataset from one format to another with the converters of the server. No data leaves this machine.\n' +
        'An output that ends with / is a folder, any other an archive. A report lists everything skipped, converted or dropped.\n' +
        'Annotations without images are converted if they contain the sizes of the images.',
    )
    .argument('<in>', 'archive, folder or file of annotations to read')
    .argument('<out>', 'archive or folder to write')
    .requiredOption('--from <format>', 'format of what is read (see `reticle formats --local`)')
    .requiredOption('--to <format>', 'format of what is written')
    .option('--images <folder>', 'folder of the images')
    .option('--no-images', 'leave out the images')
    .option('--missing-images', 'for missing images, use the sizes in the annotations')
    .option('--keep-masks', 'keep masks, whatever the default of the format is')
    .option('--masks-to-polygons', 'convert masks to polygons')
    .option('--force', 'replace existing files')
    .action(async (from: string, to: string, options: ConvertOptions, self: Command) =>
      convertFile(from, to, options, openSession(self, context)),
    )
  addExamples(command, [
    ['reticle convert coco.zip yolo.zip --from "COCO 1.0" --to "YOLO 1.1"', 'include the images'],
    [
      'reticle convert instances_val2017.json out/ --from "COCO 1.0" --to "YOLO 1.1" --images val2017/',
      'a file, and its images in a folder',
    ],
    ['reticle convert voc.zip out/ --from "Pascal VOC 1.1" --to "COCO 1.0"', 'into a folder'],
    [
      'reticle convert set.zip labels.zip --from "KITTI 1.0" --to "COCO 1.0" --no-images',
      'annotations only',
    ],
  ])
}

async function convertFile(
  from: string,
  to: string,
  options: ConvertOptions,
  { output, progress, signal }: CommandSession,
): Promise<void> {
  // Loaded here, because no other command needs the converters.
  const { describeUnknown, findExporter, findImporter } = await import('@reticle/formats/registry')
  const importer = findImporter(options.from)
  const exporter = findExporter(options.to)
  if (!importer)
    throw usageFailure(
      `No format is read as "${options.from}"`,
      describeUnknown(options.from, 'importer'),
    )
  if (!exporter)
    throw usageFailure(
      `No format is written as "${options.to}"`,
      describeUnknown(options.to, 'exporter'),
    )
  const { convertDataset } = await import('../convert/convert.ts')
  const { writerTo } = await import('../convert/write-result.ts')
  const now = new Date()
  const write = await writerTo(to, { force: options.force === true, now, signal })
  const tmpDir = await mkdtemp(join(tmpdir(), 'reticle-convert-'))
  try {
    const converted = await convertDataset(
      {
        importer: importer.importer,
        exporter: exporter.exporter,
        tmpDir,
        signal,
        now,
        inputOptions: {
          path: from,
          images: options.images || undefined,
          mayMiss: options.missingImages === true,
        },
        saveImages: options.images !== false,
        conv_mask_to_poly: masksBecomePolygons(options),
        step: progress.step,
        progress: progress.update,
      },
      write,
    )
    progress.stop()
    printConverted(converted, to, output)
  } finally {
    progress.stop()
    await rm(tmpDir, { recursive: true, force: true })
  }
}

function masksBecomePolygons({ keepMasks, masksToPolygons }: ConvertOptions): boolean | undefined {
  if (keepMasks && masksToPolygons) throw usageFailure('Either --keep-masks or --masks-to-polygons')
  if (keepMasks) return false
  return masksToPolygons
}

function printConverted(converted: Converted, out: string, output: CommandSession['output']): void {
  const { read, written, images, labels, missing } = converted
  const { shapes, tags, tracks } = read.created
  output.result(`${out}: ${formatCounts({ images, labels, shapes, tracks, tags })}`, {
    out,
    ...converted,
  })
  if (output.isJson) return
  if (missing > 0)
    output.note(`${missing} of the images are not there: only annotations are written.`)
  for (const line of [...formatReport(read, 'Reading'), ...formatReport(written, 'Writing')])
    output.note(line)
}

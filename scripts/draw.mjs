import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawDataset } from './demo/drawing.mjs'

const usage = `node scripts/draw.mjs [DIR] [FILE] [COUNT]
Draws COUNT images (12) into DIR (pictures) and writes the COCO file that describes them (FILE: instances.json).`

const [folder = 'pictures', file = 'instances.json', count = '12'] = process.argv.slice(2)
if (folder.startsWith('-') || !(Number(count) > 0)) {
  console.log(usage)
  process.exit(folder === '--help' ? 0 : 2)
}
const { images, coco } = drawDataset(Number(count))
mkdirSync(folder, { recursive: true })
for (const { name, bytes } of images) writeFileSync(join(folder, name), bytes)
writeFileSync(file, coco)
console.log(
  `${images.length} pictures in ${folder}, ${JSON.parse(coco).annotations.length} annotations in ${file}`,
)

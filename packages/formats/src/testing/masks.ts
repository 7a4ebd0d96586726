/** Labels and frames that Segmentation mask tests share. */
import { framesOf, labelOf } from './run.ts'

export const labels = [
  labelOf({ id: 1, name: 'road', color: '#808080' }),
  labelOf({ id: 2, name: 'Car', color: '#ff0000' }),
]
export const frames = framesOf(['a.jpg', 'b/ü.v2.jpg', 'c.jpg'], 6, 4)
export const asMasks = { conv_mask_to_poly: false }

/** Objects as clients send them, with the example labels and by default on frames of the first job. */

export const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }

export const joint = (label_id: number) => ({ type: 'points', frame: 1, label_id, points: [1, 2] })
export const skeleton = {
  type: 'skeleton',
  frame: 1,
  label_id: 41,
  elements: [joint(42), joint(43)],
}

export const keyframe = (frame: number) => ({ type: 'rectangle', frame, points: [0, 0, 1, 1] })
export const track = (...frames: number[]) => ({
  ...{ frame: frames[0] ?? 0, label_id: 40, shapes: frames.map(keyframe) },
})

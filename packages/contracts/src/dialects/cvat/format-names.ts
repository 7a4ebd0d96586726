/** CVAT names of our formats. */
const names = {
  'Pascal VOC 1.1': 'PASCAL VOC 1.1',
  'Service 1.1': 'CVAT 1.1',
  'Service for images 1.1': 'CVAT for images 1.1',
  'Service for video 1.1': 'CVAT for video 1.1',
}

/** Other formats have the same name in both. */
export const formatNames: ReadonlyMap<string, string> = new Map(Object.entries(names))

/** Returns the CVAT name of a format; other values stay unchanged. */
export const formatName = (name: unknown): unknown => formatNames.get(String(name)) ?? name

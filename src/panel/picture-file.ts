/** Longest side of a stored picture, in pixels: letters of a scanned A3 plan are legible, and it has about 1 MB. */
const SIDE_MAX = 2_000;
/** As the daemon accepts. */
const BYTES_MAX = 2 * 1024 * 1024;

/**
 * Draws a picture of any kind that the browser can open, SVG and photographs of several megabytes included, as PNG or JPEG
 * within the limits of the daemon. The result has no scripts, and no place and time of a photograph.
 * @returns undefined for a file that is not a picture
 */
export async function drawnPicture(file: File): Promise<Blob | undefined> {
  const image = await opened(file);
  if (!image) return undefined;
  // An SVG without a size has none of its own.
  const width = image.naturalWidth || SIDE_MAX;
  const height = image.naturalHeight || SIDE_MAX;
  const scale = Math.min(1, SIDE_MAX / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext("2d");
  if (!context) return undefined;
  // Lines of a drawing without a ground would vanish on a dark page.
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const png = await encoded(canvas, "image/png");
  return png && png.size <= BYTES_MAX ? png : encoded(canvas, "image/jpeg");
}

/** @returns undefined if the browser cannot open it */
async function opened(file: File): Promise<HTMLImageElement | undefined> {
  const image = new Image();
  const address = URL.createObjectURL(file);
  image.src = address;
  try {
    await image.decode();
    return image;
  } catch {
    return undefined;
  } finally {
    URL.revokeObjectURL(address);
  }
}

function encoded(canvas: HTMLCanvasElement, type: string): Promise<Blob | undefined> {
  return new Promise((resolve) => {
    canvas.toBlob((blob) => resolve(blob ?? undefined), type, 0.85);
  });
}

#include "CWebAssets.h"
int web_assets_dummy;
